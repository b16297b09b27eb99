/** A URL transformer for the base components of unpic (`@unpic/react/base` and its like): addresses of live delivery. */
import { type Delivered, type DeliverySource, deliver } from '../delivered.ts'
import { formatIn, qualityIn } from '../read-values.ts'

export type { DeliverySource } from '../delivered.ts'

/** Operations of unpic. */
export interface UnpicOperations {
  readonly width?: number | string
  readonly height?: number | string
  readonly format?: string
  readonly quality?: number | string
}

export type UnpicTransformer = (src: string | URL, operations: UnpicOperations) => string

const pixels = (side: number | string | undefined): number | undefined =>
  side === undefined || side === '' ? undefined : Math.round(Number(side))

/** The request of one image. Both sides crop, as `object-fit: cover` shows an image. */
export const requestOfUnpic = (
  settings: DeliverySource,
  src: string | URL,
  { width, height, format, quality }: UnpicOperations,
): Delivered => {
  const [wide, high] = [pixels(width), pixels(height)]
  return deliver(settings, String(src), {
    ...(wide === undefined ? {} : { width: wide }),
    ...(high === undefined ? {} : { height: high }),
    ...(wide === undefined || high === undefined ? {} : { crop: 'centre' }),
    ...(format === undefined ? {} : { format: formatIn(format) }),
    ...(quality === undefined ? {} : { quality: qualityIn(quality) }),
  })
}

/** A transformer for an account whose list holds the hosts of the sources. Runs in browsers as well. */
export const whittleTransformer =
  (settings: DeliverySource): UnpicTransformer =>
  (src, operations) =>
    requestOfUnpic(settings, src, operations).request.address()
