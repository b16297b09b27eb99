import type { Placeholder } from './placeholder.ts'
import type { ImageResult } from './send.ts'
import type { Edge, Format, ImageInformation, Quality } from './tables.ts'

/** A point of an image, as fractions 0 to 1 of its width and height. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/**
 * One image with its options. Methods for options return a new request.
 * `fetch`, `toBytes`, `toBlob`, `toFile`, `info` and `placeholder` send a request; all other methods send nothing.
 */
export interface ImageRequest {
  /** Fits the image into a box, in CSS pixels. A missing side follows from the aspect ratio. */
  readonly resize: (width?: number, height?: number) => ImageRequest
  /** Device pixels per CSS pixel. */
  readonly density: (density: 1 | 2 | 3) => ImageRequest
  /** Fits into the size like `resize`, and also enlarges smaller images. */
  readonly fit: () => ImageRequest
  /** Crops to exactly the size, around the centre by default. `auto` lets the service find the subject. */
  readonly crop: (focus?: 'centre' | 'auto' | Edge | FocalPoint) => ImageRequest
  /** Pads to exactly the size, with white by default. Accepts 3 or 6 hex digits, or `transparent`. */
  readonly pad: (background?: string) => ImageRequest
  /** Removes a border of one colour. */
  readonly trim: () => ImageRequest
  /** Sets the colour of padding, and of transparent areas in formats without transparency: 3 or 6 hex digits, or `transparent`. */
  readonly background: (colour: string) => ImageRequest
  /** Sets the perceived quality; `medium` by default. */
  readonly quality: (quality: Quality) => ImageRequest
  /** Sets the output format; by default the service picks JPEG or PNG. */
  readonly format: (format: Format) => ImageRequest
  /** Keeps colours outside sRGB, encoded as Display P3. */
  readonly wideGamut: () => ImageRequest
  /** Keeps metadata that names the creator and the copyright holder. */
  readonly keepCopyright: () => ImageRequest
  /** Limits the size of the file in bytes. The service lowers the quality until the file fits. */
  readonly maxBytes: (bytes: number) => ImageRequest
  /** Applies a named option list of the account. Other options of this request override it. */
  readonly preset: (name: string) => ImageRequest
  /** Limits the processing time after the service has received the source, in seconds. */
  readonly timeout: (seconds: number) => ImageRequest
  /** Returns the option list in the form that the service accepts. */
  readonly options: () => string
  /** Returns the address for POST. Live delivery serves the image at it by GET, if the account lists the host of the source. */
  readonly address: () => string
  /**
   * Returns the address of live delivery, signed with a signing key of the account. The service refuses it from `until` on.
   * Fails with a TypeError for an upload. Call it on a server only: a program with the key can sign any address.
   */
  readonly signed: (key: string, until?: Date) => Promise<string>
  /** Returns a `srcset` of live delivery, with one address per width. A box keeps its aspect ratio. Signs each address if there is a key. */
  readonly liveSrcset: (widths: readonly number[], key?: string) => Promise<string>
  /** Returns the format, size and content of the image, without optimising it. Fails like `fetch`. */
  readonly info: (signal?: AbortSignal) => Promise<ImageInformation>
  /** Returns a placeholder to show until the image has loaded. Fails like `fetch`. Costs the quota one image. */
  readonly placeholder: (signal?: AbortSignal) => Promise<Placeholder>
  /** Sends the request and returns the image. Fails with a WhittleError, the signal's reason, or the TypeError of a failed `fetch`. */
  readonly fetch: (signal?: AbortSignal) => Promise<ImageResult>
  /** Returns the bytes of the image alone. Fails like `fetch`. */
  readonly toBytes: (signal?: AbortSignal) => Promise<Uint8Array>
  /** Returns the image as a Blob with its content type. Fails like `fetch`. */
  readonly toBlob: (signal?: AbortSignal) => Promise<Blob>
  /** Writes the image to a file (Node, Deno, Bun). The path never holds a partial image. Fails like `fetch`, or with the file system's error. */
  readonly toFile: (path: string, signal?: AbortSignal) => Promise<ImageResult>
  /** Returns one request per width with the name of its file, and the `srcset` that refers to these files. */
  readonly srcset: (
    widths: readonly number[],
    nameOf: (width: number) => string,
  ) => {
    readonly srcset: string
    readonly images: readonly { readonly name: string; readonly request: ImageRequest }[]
  }
}
