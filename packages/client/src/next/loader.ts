/** A loader for `next/image`: addresses of live delivery, one for each width that Next.js puts into a `srcset`. */

import type { ImageRequest } from '../client.ts'
import { whittle } from '../client.ts'
import { askFor, qualityOf, type Variant } from '../variant.ts'

/** What Next.js hands to a loader: `quality` is a number from 1 to 100, as for encoders. */
export interface LoaderProps {
  readonly src: string
  readonly width: number
  readonly quality?: number | undefined
}

export type Loader = (props: LoaderProps) => string

export interface LoaderSettings {
  /** Address of the service, as browsers reach it. */
  readonly base: string
  /** An account that delivers (docs/delivery.md). */
  readonly account: string
  /** Where the site's own images are fetched from: what `/photo.jpg` is put behind. */
  readonly site?: string
  /** What every image wants; a `quality` that an image has goes before this one. */
  readonly defaults?: Pick<Variant, 'quality' | 'format' | 'trim' | 'background'>
  /** What the site's own images are while it is developed, where the service cannot fetch them: as they are (unless given), or delivered all the same. */
  readonly dev?: 'original' | 'optimise'
}

const isOwn = (src: string): boolean => !/^(https?:)?\/\//i.test(src)

const isDeveloping = (): boolean => process.env['NODE_ENV'] === 'development'

/** The absolute address of a source. Fails where nothing says what it is relative to. */
const absolute = (src: string, site: string | undefined): string => {
  if (src.startsWith('//')) return `https:${src}`
  if (!isOwn(src)) return src
  if (site === undefined)
    throw new Error(`${src} has no host: set site to the address of this site, where the service can fetch it.`)
  return `${site.replace(/\/+$/, '')}/${src.replace(/^\/+/, '')}`
}

/** The request of an image, and its absolute address. */
export const requestOf = (
  { base, account, site, defaults }: LoaderSettings,
  { src, width, quality }: LoaderProps,
): { readonly request: ImageRequest; readonly source: string } => {
  const source = absolute(src, site)
  const preset = quality === undefined ? undefined : qualityOf(quality)
  const variant = { ...defaults, ...(preset === undefined ? {} : { quality: preset }), width }
  return { request: askFor(whittle(base, account).url(source), variant), source }
}

/** Own images while developing: the width is only told, so that Next.js sees it used. */
export const originalOf = (settings: LoaderSettings, { src, width }: LoaderProps): string | undefined =>
  isOwn(src) && isDeveloping() && settings.dev !== 'optimise'
    ? `${src}${src.includes('?') ? '&' : '?'}w=${width}`
    : undefined

/** A loader for an account whose list holds the hosts of the sources. Runs in browsers as well. */
export const whittleLoader =
  (settings: LoaderSettings): Loader =>
  (props) =>
    originalOf(settings, props) ?? requestOf(settings, props).request.address()
