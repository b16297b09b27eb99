/** A URL transformer for the base components of unpic, such as `@unpic/react/base`. It returns addresses of live delivery. */
import { type Delivered, type DeliverySource, deliver } from '../delivered.ts'
import { parseFormat, parseQuality } from '../read-values.ts'

export type { DeliverySource } from '../delivered.ts'

/** The operations of unpic that the transformer uses. */
export interface UnpicOperations {
  readonly width?: number | string
  readonly height?: number | string
  readonly format?: string
  readonly quality?: number | string
}

export type UnpicTransformer = (src: string | URL, operations: UnpicOperations) => string

/** Parses a side and rounds it to whole CSS pixels. */
const parseSide = (side: number | string | undefined): number | undefined =>
  side === undefined || side === '' ? undefined : Math.round(Number(side))

/** Creates the request for one image. With both sides it crops, like `object-fit: cover`. Fails with an Error that names the accepted values. */
export const requestOfUnpic = (
  settings: DeliverySource,
  src: string | URL,
  { width, height, format, quality }: UnpicOperations,
): Delivered => {
  const [wide, high] = [parseSide(width), parseSide(height)]
  return deliver(settings, String(src), {
    ...(wide === undefined ? {} : { width: wide }),
    ...(high === undefined ? {} : { height: high }),
    ...(wide === undefined || high === undefined ? {} : { crop: 'centre' }),
    ...(format === undefined ? {} : { format: parseFormat(format) }),
    ...(quality === undefined ? {} : { quality: parseQuality(quality) }),
  })
}

/** Creates a transformer with unsigned addresses. The account must list the hosts of the sources. Runs on servers and in browsers. */
export const whittleTransformer =
  (settings: DeliverySource): UnpicTransformer =>
  (src, operations) =>
    requestOfUnpic(settings, src, operations).request.address()
