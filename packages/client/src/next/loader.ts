/** A loader for `next/image`. It returns an address of live delivery for each width of a `srcset`. */

import { type Delivered, type DeliverySource, deliver, isOwnSource } from '../delivered.ts'
import { qualityOf, type Variant } from '../variant.ts'

/** Arguments of a Next.js loader. `quality` is an encoder's number from 1 to 100. */
export interface LoaderProps {
  readonly src: string
  readonly width: number
  readonly quality?: number | undefined
}

/** Returns the address of an image in one width. */
export type Loader = (props: LoaderProps) => string

/** Settings of a loader. */
export interface LoaderSettings extends DeliverySource {
  /** Default options of every image. An image's own `quality` overrides this one. */
  readonly defaults?: Pick<Variant, 'quality' | 'format' | 'trim' | 'background'>
  /** The site's own images on a development server, which the service often cannot reach: `original` (default), or `optimise` by live delivery. */
  readonly dev?: 'original' | 'optimise'
}

const isDeveloping = (): boolean => process.env['NODE_ENV'] === 'development'

/** Creates the request for one image. Fails with an Error for an image without a host if `site` is undefined. */
export const requestOf = (settings: LoaderSettings, { src, width, quality }: LoaderProps): Delivered => {
  const preset = quality === undefined ? undefined : qualityOf(quality)
  return deliver(settings, src, { ...settings.defaults, ...(preset === undefined ? {} : { quality: preset }), width })
}

/** Returns the address of the original for the site's own images on a development server, otherwise undefined. `w` has no effect, but Next.js warns about a loader that ignores the width. */
export const originalOf = (settings: LoaderSettings, { src, width }: LoaderProps): string | undefined =>
  isOwnSource(src) && isDeveloping() && settings.dev !== 'optimise'
    ? `${src}${src.includes('?') ? '&' : '?'}w=${width}`
    : undefined

/** Creates a loader with unsigned addresses. The account must list the hosts of the sources. Runs on servers and in browsers. */
export const whittleLoader =
  (settings: LoaderSettings): Loader =>
  (props) =>
    originalOf(settings, props) ?? requestOf(settings, props).request.address()
