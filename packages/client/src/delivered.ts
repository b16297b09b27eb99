/** Addresses of live delivery, as the adapters make them whose images a browser asks for. */
import { addressOf, placeOf } from './address.ts'
import { type ImageRequest, whittle } from './client.ts'
import { signedText } from './sign.ts'
import { askFor, type Variant } from './variant.ts'

export interface DeliverySource {
  /** Address of the service, as browsers reach it. */
  readonly base: string
  /** An account that delivers (docs/delivery.md). */
  readonly account: string
  /** Where the site's own images are fetched from: `/photo.jpg` is put behind it. */
  readonly site?: string | undefined
}

/** The request of one image, and its absolute address. */
export interface Delivered {
  readonly request: ImageRequest
  readonly source: string
}

/** Whether an address names no host, as `/photo.jpg` does. */
export const isOwnSource = (src: string): boolean => !/^(https?:)?\/\//i.test(src)

/** The absolute address of a source. Fails where nothing says what it is relative to. */
export const absoluteSource = (src: string, site: string | undefined): string => {
  if (src.startsWith('//')) return `https:${src}`
  if (!isOwnSource(src)) return src
  if (site === undefined)
    throw new Error(`${src} has no host: set site to the address of this site, where the service can fetch it.`)
  return `${site.replace(/\/+$/, '')}/${src.replace(/^\/+/, '')}`
}

/** The request to the service for one image of a page. */
export const deliver = ({ base, account, site }: DeliverySource, src: string, variant: Variant): Delivered => {
  const source = absoluteSource(src, site)
  return { request: askFor(whittle(base, account).url(source), variant), source }
}

/** HMAC-SHA256 of a text in base64url, made at once: providers cannot wait. */
type Hmac = (key: string, text: string) => string

/** The key itself. Fails where there is none. */
export const requireKey = (key: string | undefined): string => {
  if (key === undefined || key === '')
    throw new Error('There is no key to sign addresses with: whittle accounts rotate makes one.')
  return key
}

/** The signed address. Fails without a key. */
export const signAtOnce = (
  { base, account }: DeliverySource,
  { request, source }: Delivered,
  { key, hmac }: { readonly key: string | undefined; readonly hmac: Hmac },
): string => {
  const own = requireKey(key)
  const options = request.options()
  return addressOf(
    placeOf(base, account),
    `${options},sig=${hmac(own, signedText({ account, options, source }))}`,
    source,
  )
}
