/** A client of the service: `whittle(base, account).url(source).resize(800, 600).crop('auto').toFile('photo.jpg')`. */
import { addressOf, type Endpoint, endpointOf } from './address.ts'
import { type OptionItems, optionList, optionMethods, sizeAtWidth, withExpiry } from './option-list.ts'
import { placeholderOf } from './placeholder.ts'
import { type ClientSettings, type ImageResult, send, type UploadBody } from './send.ts'
import { signDelivery } from './sign.ts'
import type { ImageInformation } from './tables.ts'
import type { ImageRequest } from './types.ts'

export { type Placeholder, type PlaceholderKind, placeholderStyle } from './placeholder.ts'
export { type ClientSettings, type ImageResult, type UploadBody, WhittleError } from './send.ts'
export type { Edge, ErrorStatus, Format, ImageInformation, Quality } from './tables.ts'
export type { FocalPoint, ImageRequest } from './types.ts'
export type { Variant } from './variant.ts'

/** A request without its options: the service, the account and the image. */
interface Target extends Endpoint {
  readonly settings: ClientSettings
  readonly source: { readonly url: string } | { readonly upload: UploadBody; readonly name: string }
}

const addressWith = (target: Target, list: string): string =>
  addressOf(target, list, 'url' in target.source ? target.source.url : undefined)

const sendTo = (target: Target, list: string, signal: AbortSignal | undefined): Promise<ImageResult> =>
  send(addressWith(target, list), 'url' in target.source ? undefined : target.source, target.settings, signal)

const fetchInformation = async (target: Target, signal: AbortSignal | undefined): Promise<ImageInformation> => {
  const { bytes } = await sendTo(target, 'info', signal)
  return JSON.parse(new TextDecoder().decode(bytes)) as ImageInformation
}

/** Variables, because bundlers for browsers would resolve literals. */
const FILES: string = 'node:fs/promises'
const PATHS: string = 'node:path'

const saveResult = async (path: string, fetchResult: () => Promise<ImageResult>): Promise<ImageResult> => {
  const { rename, rm, writeFile } = (await import(/* @vite-ignore */ FILES)) as typeof import('node:fs/promises')
  const { dirname, join } = (await import(/* @vite-ignore */ PATHS)) as typeof import('node:path')
  const result = await fetchResult()
  // A name of its own: two calls may write the same file. A short one: that of the file may be as long as the disk allows.
  const draft = join(dirname(path), `.${crypto.randomUUID()}.part`)
  try {
    await writeFile(draft, result.bytes)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
  return result
}

const signedAddress = async (target: Target, list: string, key: string): Promise<string> => {
  if (!('url' in target.source))
    throw new TypeError('Live delivery needs the address of an image. It does not accept uploads.')
  const account = decodeURIComponent(target.account)
  const signature = await signDelivery(key, { account, options: list, source: target.source.url })
  return addressWith(target, `${list},sig=${signature}`)
}

const createRequest = (target: Target, items: OptionItems): ImageRequest => {
  const add = (more: OptionItems): ImageRequest => createRequest(target, { ...items, ...more })
  const atWidth = (width: number): ImageRequest => add({ size: sizeAtWidth(items.size, width) })
  const fetchResult = (signal?: AbortSignal): Promise<ImageResult> => sendTo(target, optionList(items), signal)
  return {
    ...optionMethods(add),
    options: () => optionList(items),
    address: () => addressWith(target, optionList(items)),
    signed: (key, until) => signedAddress(target, withExpiry(optionList(items), until), key),
    liveSrcset: async (widths, key) => {
      const candidates = widths.map(async (width) => {
        const variant = atWidth(width)
        return `${key === undefined ? variant.address() : await variant.signed(key)} ${width}w`
      })
      return (await Promise.all(candidates)).join(', ')
    },
    info: (signal) => fetchInformation(target, signal),
    placeholder: async (signal) => placeholderOf(await fetchInformation(target, signal)),
    fetch: fetchResult,
    toBytes: async (signal) => (await fetchResult(signal)).bytes,
    toBlob: async (signal) => {
      const { bytes, contentType } = await fetchResult(signal)
      return new Blob([bytes], { type: contentType })
    },
    toFile: (path, signal) => saveResult(path, () => fetchResult(signal)),
    srcset: (widths, nameOf) => ({
      srcset: widths.map((width) => `${encodeURI(nameOf(width))} ${width}w`).join(', '),
      images: widths.map((width) => ({ name: nameOf(width), request: atWidth(width) })),
    }),
  }
}

/** Creates requests for one account of a service. */
export interface WhittleClient {
  /** Requests an image by its address. The service fetches it. */
  readonly url: (source: string | URL) => ImageRequest
  /** Requests an image that the client sends: bytes, a Blob or File, or a stream. A stream is sent once, without retries. */
  readonly upload: (image: UploadBody, name?: string) => ImageRequest
}

/** Creates a client. It sends nothing. `base` is the address of the service, with its path prefix. */
export const whittle = (base: string | URL, account: string, settings: ClientSettings = {}): WhittleClient => {
  const endpoint = { ...endpointOf(base, account), settings }
  return {
    url: (source) => createRequest({ ...endpoint, source: { url: String(source) } }, {}),
    upload: (upload, name = 'image') => createRequest({ ...endpoint, source: { upload, name } }, {}),
  }
}
