/** A loader for `next/image`: addresses of live delivery, one for each width that Next.js puts into a `srcset`. */

import { type Delivered, type DeliverySource, deliver, isOwnSource } from '../delivered.ts'
import { qualityOf, type Variant } from '../variant.ts'

/** Arguments of a Next.js loader: `quality` is a number from 1 to 100, as for encoders. */
export interface LoaderProps {
  readonly src: string
  readonly width: number
  readonly quality?: number | undefined
}

export type Loader = (props: LoaderProps) => string

export interface LoaderSettings extends DeliverySource {
  /** Default options of every image. An image's own `quality` overrides this one. */
  readonly defaults?: Pick<Variant, 'quality' | 'format' | 'trim' | 'background'>
  /** The site's own images during development, where the service cannot fetch them: `original` (default), or delivered all the same. */
  readonly dev?: 'original' | 'optimise'
}

const isDeveloping = (): boolean => process.env['NODE_ENV'] === 'development'

/** The request of an image, and its absolute address. */
export const requestOf = (settings: LoaderSettings, { src, width, quality }: LoaderProps): Delivered => {
  const preset = quality === undefined ? undefined : qualityOf(quality)
  return deliver(settings, src, { ...settings.defaults, ...(preset === undefined ? {} : { quality: preset }), width })
}

/** Own images during development: `w` has no effect, but Next.js warns about a loader that ignores the width. */
export const originalOf = (settings: LoaderSettings, { src, width }: LoaderProps): string | undefined =>
  isOwnSource(src) && isDeveloping() && settings.dev !== 'optimise'
    ? `${src}${src.includes('?') ? '&' : '?'}w=${width}`
    : undefined

/** A loader for an account whose list holds the hosts of the sources. Runs in browsers as well. */
export const whittleLoader =
  (settings: LoaderSettings): Loader =>
  (props) =>
    originalOf(settings, props) ?? requestOf(settings, props).request.address()
