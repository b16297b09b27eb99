/** Addresses of live delivery, for adapters whose pages load images from the service. */
import { addressOf, endpointOf } from './address.ts'
import { type ImageRequest, whittle } from './client.ts'
import { signedText } from './sign.ts'
import { applyVariant, type Variant } from './variant.ts'

/** Settings of every adapter that uses live delivery. */
export interface DeliverySource {
  /** Address of the service that browsers use. */
  readonly base: string
  /** An account with the right to live delivery (docs/delivery.md). */
  readonly account: string
  /** Address of the site, from which the service fetches images without a host such as `/photo.jpg`. */
  readonly site?: string | undefined
}

/** A request for one image, and the absolute address of its source. */
export interface Delivered {
  readonly request: ImageRequest
  readonly source: string
}

/** Whether an address has no host, such as `/photo.jpg`. */
export const isOwnSource = (src: string): boolean => !/^(https?:)?\/\//i.test(src)

/** Returns the absolute address of a source. Fails with an Error if it has no host and `site` is undefined. */
export const absoluteSource = (src: string, site: string | undefined): string => {
  if (src.startsWith('//')) return `https:${src}`
  if (!isOwnSource(src)) return src
  if (site === undefined)
    throw new Error(`${src} has no host: set site to the address of this site, where the service can fetch it.`)
  return `${site.replace(/\/+$/, '')}/${src.replace(/^\/+/, '')}`
}

/** Creates the request for one image of a page. Fails like {@link absoluteSource}. */
export const deliver = ({ base, account, site }: DeliverySource, src: string, variant: Variant): Delivered => {
  const source = absoluteSource(src, site)
  return { request: applyVariant(whittle(base, account).url(source), variant), source }
}

/** Returns HMAC-SHA256 of a text in base64url. Synchronous, because loaders and providers must return an address at once. */
type Hmac = (key: string, text: string) => string

/** Returns the key. Fails with an Error if it is undefined or empty. */
export const requireKey = (key: string | undefined): string => {
  if (key === undefined || key === '')
    throw new Error('There is no key to sign addresses with: create one with `whittle accounts rotate`.')
  return key
}

/** Returns the signed address of a request. Fails with an Error without a key. */
export const signSync = (
  { base, account }: DeliverySource,
  { request, source }: Delivered,
  { key, hmac }: { readonly key: string | undefined; readonly hmac: Hmac },
): string => {
  const signingKey = requireKey(key)
  const options = request.options()
  return addressOf(
    endpointOf(base, account),
    `${options},sig=${hmac(signingKey, signedText({ account, options, source }))}`,
    source,
  )
}
