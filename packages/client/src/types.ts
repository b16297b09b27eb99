import type { Placeholder } from './placeholder.ts'
import type { ImageResult } from './send.ts'
import type { Edge, Format, ImageInformation, Quality } from './tables.ts'

/** A place in an image as fractions 0..1 of its width and height. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** One image with its options. Every method returns a new request. Only methods that start with `to` or `fetch` send it. */
export interface ImageRequest {
  /** Most CSS pixels; a side that is left out follows. */
  readonly resize: (width?: number, height?: number) => ImageRequest
  /** Device pixels per CSS pixel. */
  readonly density: (density: 1 | 2 | 3) => ImageRequest
  readonly fit: () => ImageRequest
  readonly crop: (focus?: 'centre' | 'auto' | Edge | FocalPoint) => ImageRequest
  /** Pads to exactly the size, with a colour of 3 or 6 hex digits or `transparent`. */
  readonly pad: (background?: string) => ImageRequest
  readonly trim: () => ImageRequest
  readonly background: (colour: string) => ImageRequest
  readonly quality: (quality: Quality) => ImageRequest
  readonly format: (format: Format) => ImageRequest
  /** Keeps colours that are wider than sRGB, as Display P3. */
  readonly wideGamut: () => ImageRequest
  /** Keeps who made the image and holds its rights. */
  readonly keepCopyright: () => ImageRequest
  /** The best quality that fits into this number of bytes, never above `quality`. */
  readonly maxBytes: (bytes: number) => ImageRequest
  /** A named list of options of the account. Other options override it. */
  readonly preset: (name: string) => ImageRequest
  /** Most seconds of work. */
  readonly timeout: (seconds: number) => ImageRequest
  /** The option list as it is sent. */
  readonly options: () => string
  /** The address that is posted to, and that the image is delivered live at where its host is listed. */
  readonly address: () => string
  /**
   * The address that the image is delivered live at, signed with a key of the account; from `until` on it is refused.
   * For servers: who has the key signs whatever it likes.
   */
  readonly signed: (key: string, until?: Date) => Promise<string>
  /** `srcset` of live delivery in several widths; a box that was asked for keeps its shape. Signed where a key is given. */
  readonly liveSrcset: (widths: readonly number[], key?: string) => Promise<string>
  /** Asks the service what the image is, without optimising it. Fails as `fetch` does. */
  readonly info: (signal?: AbortSignal) => Promise<ImageInformation>
  /** Asks the service what a page shows before the image is there. Charged like an image. */
  readonly placeholder: (signal?: AbortSignal) => Promise<Placeholder>
  /** Sends it. Fails with a WhittleError, or with the signal's reason. */
  readonly fetch: (signal?: AbortSignal) => Promise<ImageResult>
  readonly toBytes: (signal?: AbortSignal) => Promise<Uint8Array>
  readonly toBlob: (signal?: AbortSignal) => Promise<Blob>
  /** Writes the image into a file (Node, Deno, Bun), whole or not at all. */
  readonly toFile: (path: string, signal?: AbortSignal) => Promise<ImageResult>
  /** The same image in several widths: each with the name of its file, and the `srcset` of all of them. */
  readonly srcset: (
    widths: readonly number[],
    nameOf: (width: number) => string,
  ) => {
    readonly srcset: string
    readonly images: readonly { readonly name: string; readonly request: ImageRequest }[]
  }
}
