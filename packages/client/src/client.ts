/** A client of the service: `whittle(base, account).url(source).resize(800, 600).crop('auto').toFile('photo.jpg')`. */
import { addressOf, type Place, placeOf } from './address.ts'
import { type ClientSettings, type ImageResult, send, type UploadBody } from './send.ts'
import { signDelivery } from './sign.ts'
import type { Edge, Format, ImageInformation, Quality } from './tables.ts'

export { type ClientSettings, type ImageResult, type UploadBody, WhittleError } from './send.ts'
export type { Edge, ErrorStatus, Format, ImageInformation, Quality } from './tables.ts'
export type { Variant } from './variant.ts'

/** A place in an image as fractions 0..1 of its width and height. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** One image with what is wanted of it. Every method gives a new request; nothing is sent before one that starts with `to` or `fetch`. */
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
  /** Most seconds of work. */
  readonly timeout: (seconds: number) => ImageRequest
  /** The option list as it is sent. */
  readonly options: () => string
  /** The address that is posted to, and that the image is delivered live at where its host is listed. */
  readonly address: () => string
  /** The address that the image is delivered live at, signed with a key of the account. For servers: who has the key signs whatever it likes. */
  readonly signed: (key: string) => Promise<string>
  /** `srcset` of live delivery in several widths; a box that was asked for keeps its shape. Signed where a key is given. */
  readonly liveSrcset: (widths: readonly number[], key?: string) => Promise<string>
  /** Asks the service what the image is, without optimising it. Fails as `fetch` does. */
  readonly info: (signal?: AbortSignal) => Promise<ImageInformation>
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

/** What is wanted, by the rank in which it stands in the list. */
interface Wanted {
  readonly size?: string
  readonly density?: string
  readonly method?: string
  readonly trim?: string
  readonly background?: string
  readonly quality?: string
  readonly format?: string
  readonly gamut?: string
  readonly timeout?: string
}

const ORDER = ['size', 'density', 'method', 'trim', 'background', 'quality', 'format', 'gamut', 'timeout'] as const

const listOf = (wanted: Wanted): string =>
  ORDER.flatMap((name) => (name === 'size' ? (wanted.size ?? 'full') : (wanted[name] ?? []))).join(',')

const cropItem = (focus: 'centre' | 'auto' | Edge | FocalPoint): string => {
  if (typeof focus === 'object') return `crop=${focus.x}x${focus.y}`
  return focus === 'centre' ? 'crop' : `crop=${focus}`
}

const sizeItem = (width?: number, height?: number): string =>
  width === undefined && height === undefined ? 'full' : `${width ?? ''}${height === undefined ? '' : `x${height}`}`

/** Where a request goes, and what it takes along. */
interface Destination extends Place {
  readonly settings: ClientSettings
  readonly source: { readonly url: string } | { readonly upload: UploadBody; readonly name: string }
}

const addressWith = (to: Destination, list: string): string =>
  addressOf(to, list, 'url' in to.source ? to.source.url : undefined)

/** Not a literal, so that bundlers for browsers leave it alone. */
const FILES: string = 'node:fs/promises'

/** The size of a variant of a width: a box keeps its shape, a height alone becomes a width. */
const resized = (size: string | undefined, width: number): string => {
  const [, boxWidth, boxHeight] = /^(\d+)x(\d+)$/.exec(size ?? '') ?? []
  if (boxWidth === undefined || boxHeight === undefined) return `${width}`
  return `${width}x${Math.max(1, Math.round((width * Number(boxHeight)) / Number(boxWidth)))}`
}

/** The same address with a signature among its options. */
const signedAddress = async (to: Destination, list: string, key: string): Promise<string> => {
  if (!('url' in to.source)) throw new TypeError('Only images with an address are delivered live, uploads are not.')
  const account = decodeURIComponent(to.account)
  const signature = await signDelivery(key, { account, options: list, source: to.source.url })
  return addressWith(to, `${list},sig=${signature}`)
}

const request = (to: Destination, wanted: Wanted): ImageRequest => {
  const also = (more: Wanted): ImageRequest => request(to, { ...wanted, ...more })
  const address = (): string => addressWith(to, listOf(wanted))
  const fetchIt = (signal?: AbortSignal): Promise<ImageResult> =>
    send(address(), 'url' in to.source ? undefined : to.source, to.settings, signal)
  return {
    resize: (width, height) => also({ size: sizeItem(width, height) }),
    density: (density) => also({ density: `${density}x` }),
    fit: () => also({ method: 'fit' }),
    crop: (focus = 'centre') => also({ method: cropItem(focus) }),
    pad: (background) =>
      also({ method: 'pad', ...(background === undefined ? {} : { background: `bgcolor=${background}` }) }),
    trim: () => also({ trim: 'trim=border' }),
    background: (colour) => also({ background: `bgcolor=${colour}` }),
    quality: (quality) => also({ quality: `quality=${quality}` }),
    format: (format) => also({ format: `format=${format}` }),
    wideGamut: () => also({ gamut: 'gamut=p3' }),
    timeout: (seconds) => also({ timeout: `timeout=${seconds}` }),
    options: () => listOf(wanted),
    address,
    signed: (key) => signedAddress(to, listOf(wanted), key),
    liveSrcset: async (widths, key) => {
      const variants = widths.map(async (width) => {
        const variant = also({ size: resized(wanted.size, width) })
        return `${key === undefined ? variant.address() : await variant.signed(key)} ${width}w`
      })
      return (await Promise.all(variants)).join(', ')
    },
    info: async (signal) => {
      const { bytes } = await send(
        addressWith(to, 'info'),
        'url' in to.source ? undefined : to.source,
        to.settings,
        signal,
      )
      return JSON.parse(new TextDecoder().decode(bytes)) as ImageInformation
    },
    fetch: fetchIt,
    toBytes: async (signal) => (await fetchIt(signal)).bytes,
    toBlob: async (signal) => {
      const { bytes, contentType } = await fetchIt(signal)
      return new Blob([bytes], { type: contentType })
    },
    toFile: async (path, signal) => {
      const { rename, writeFile } = (await import(/* @vite-ignore */ FILES)) as typeof import('node:fs/promises')
      const result = await fetchIt(signal)
      await writeFile(`${path}.part`, result.bytes)
      await rename(`${path}.part`, path)
      return result
    },
    srcset: (widths, nameOf) => ({
      srcset: widths.map((width) => `${encodeURI(nameOf(width))} ${width}w`).join(', '),
      images: widths.map((width) => ({
        name: nameOf(width),
        request: also({ size: resized(wanted.size, width) }),
      })),
    }),
  }
}

/** An account at a service. */
export interface WhittleClient {
  /** An image that the service fetches by itself. */
  readonly url: (source: string | URL) => ImageRequest
  /** An image that is sent along: bytes, a Blob or File, or a stream (which cannot be sent again when the service is busy). */
  readonly upload: (image: UploadBody, name?: string) => ImageRequest
}

/** Opens a client; nothing is sent by it. `base` is the address of the service, with its path prefix. */
export const whittle = (base: string | URL, account: string, settings: ClientSettings = {}): WhittleClient => {
  const to = { ...placeOf(base, account), settings }
  return {
    url: (source) => request({ ...to, source: { url: String(source) } }, {}),
    upload: (upload, name = 'image') => request({ ...to, source: { upload, name } }, {}),
  }
}
