/** A client of the service: `whittle(base, account).url(source).resize(800, 600).crop('auto').toFile('photo.jpg')`. */
import { addressOf, type Place, placeOf } from './address.ts'
import { placeholderOf } from './placeholder.ts'
import { type ClientSettings, type ImageResult, send, type UploadBody } from './send.ts'
import { signDelivery } from './sign.ts'
import type { Edge, ImageInformation } from './tables.ts'
import type { FocalPoint, ImageRequest } from './types.ts'

export { type Placeholder, type PlaceholderKind, placeholderStyle } from './placeholder.ts'
export { type ClientSettings, type ImageResult, type UploadBody, WhittleError } from './send.ts'
export type { Edge, ErrorStatus, Format, ImageInformation, Quality } from './tables.ts'
export type { FocalPoint, ImageRequest } from './types.ts'
export type { Variant } from './variant.ts'

/** Options in the order of the option list. */
interface Wanted {
  readonly preset?: string
  readonly size?: string
  readonly density?: string
  readonly method?: string
  readonly trim?: string
  readonly background?: string
  readonly quality?: string
  readonly format?: string
  readonly gamut?: string
  readonly meta?: string
  readonly maxBytes?: string
  readonly timeout?: string
}

const ORDER = [
  'preset',
  'size',
  'density',
  'method',
  'trim',
  'background',
  'quality',
  'format',
  'gamut',
  'meta',
  'maxBytes',
  'timeout',
] as const

const listOf = (wanted: Wanted): string =>
  ORDER.flatMap((name) =>
    name === 'size' ? (wanted.size ?? (wanted.preset === undefined ? 'full' : [])) : (wanted[name] ?? []),
  ).join(',')

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

/** An option list whose signature is void from a time on. */
const expiring = (list: string, until: Date | undefined): string =>
  until === undefined ? list : `${list},exp=${Math.ceil(until.getTime() / 1000)}`

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
  const info = async (signal?: AbortSignal): Promise<ImageInformation> => {
    const upload = 'url' in to.source ? undefined : to.source
    const { bytes } = await send(addressWith(to, 'info'), upload, to.settings, signal)
    return JSON.parse(new TextDecoder().decode(bytes)) as ImageInformation
  }
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
    keepCopyright: () => also({ meta: 'meta=copyright' }),
    maxBytes: (bytes) => also({ maxBytes: `max-bytes=${bytes}` }),
    preset: (name) => also({ preset: `preset=${name}` }),
    timeout: (seconds) => also({ timeout: `timeout=${seconds}` }),
    options: () => listOf(wanted),
    address,
    signed: (key, until) => signedAddress(to, expiring(listOf(wanted), until), key),
    liveSrcset: async (widths, key) => {
      const variants = widths.map(async (width) => {
        const variant = also({ size: resized(wanted.size, width) })
        return `${key === undefined ? variant.address() : await variant.signed(key)} ${width}w`
      })
      return (await Promise.all(variants)).join(', ')
    },
    info,
    placeholder: async (signal) => placeholderOf(await info(signal)),
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
