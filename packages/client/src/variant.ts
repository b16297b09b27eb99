import { EDGES, type Edge, type Format, type Quality } from './tables.ts'
import type { FocalPoint, ImageRequest } from './types.ts'

/** Options of an image as an object. Adapters accept it instead of the methods of {@link ImageRequest}. */
export interface Variant {
  /** Size of the box in CSS pixels. A missing side follows from the aspect ratio. */
  readonly width?: number
  readonly height?: number
  /** Device pixels per CSS pixel. */
  readonly density?: 1 | 2 | 3
  /** Also enlarges images that are smaller than the box. */
  readonly fit?: boolean
  /** Crops to exactly the size. `auto` lets the service find the subject. */
  readonly crop?: 'centre' | 'auto' | Edge | FocalPoint
  /** Pads to exactly the size with `background`. */
  readonly pad?: boolean
  /** Removes a border of one colour. */
  readonly trim?: boolean
  /** Colour of padding, and of transparent areas in formats without transparency: 3 or 6 hex digits, or `transparent`. */
  readonly background?: string
  /** Perceived quality; `medium` by default. */
  readonly quality?: Quality
  /** Output format; by default the service picks JPEG or PNG. */
  readonly format?: Format
  /** Keeps colours outside sRGB, encoded as Display P3. */
  readonly wideGamut?: boolean
  /** Keeps metadata that names the creator and the copyright holder. */
  readonly keepCopyright?: boolean
  /** Limit of the file size in bytes. The service lowers the quality until the file fits. */
  readonly maxBytes?: number
  /** Name of an option list of the account. */
  readonly preset?: string
  /** Limit of the processing time after the service has received the source, in seconds. */
  readonly timeout?: number
}

/** Parses a crop such as `auto`, `top` or `0.5x0.3`; an empty text means the centre. Returns undefined for any other text. */
export const cropOf = (text: string): Variant['crop'] => {
  if (text === '' || text === 'centre' || text === 'center') return 'centre'
  if (text === 'auto') return text
  const edge = EDGES.find((each) => each === text)
  const [, x, y] = /^([01](?:\.\d+)?)x([01](?:\.\d+)?)$/.exec(text) ?? []
  if (edge !== undefined || x === undefined) return edge
  return Number(x) > 1 || Number(y) > 1 ? undefined : { x: Number(x), y: Number(y) }
}

type Step = (request: ImageRequest, variant: Variant) => ImageRequest | undefined

/** One step per option. A step returns undefined if the variant does not set its option. */
const STEPS: readonly Step[] = [
  (request, { width, height }) =>
    width === undefined && height === undefined ? undefined : request.resize(width, height),
  (request, { density }) => density && request.density(density),
  (request, { fit }) => (fit === true ? request.fit() : undefined),
  (request, { pad }) => (pad === true ? request.pad() : undefined),
  (request, { crop }) => crop && request.crop(crop),
  (request, { trim }) => (trim === true ? request.trim() : undefined),
  (request, { background }) => (background === undefined ? undefined : request.background(background)),
  (request, { quality }) => quality && request.quality(quality),
  (request, { format }) => format && request.format(format),
  (request, { wideGamut }) => (wideGamut === true ? request.wideGamut() : undefined),
  (request, { keepCopyright }) => (keepCopyright === true ? request.keepCopyright() : undefined),
  (request, { maxBytes }) => (maxBytes === undefined ? undefined : request.maxBytes(maxBytes)),
  (request, { preset }) => (preset === undefined ? undefined : request.preset(preset)),
  (request, { timeout }) => (timeout === undefined ? undefined : request.timeout(timeout)),
]

/** Returns the request with all options of the variant. */
export const applyVariant = (request: ImageRequest, variant: Variant): ImageRequest =>
  STEPS.reduce((current, step) => step(current, variant) || current, request)

/** Maps an encoder's quality from 1 to 100 to a preset, with the thresholds of the service. Undefined maps to `medium`, 100 to `lossless`. */
export const qualityOf = (number: number | undefined): Quality => {
  if (number === undefined) return 'medium'
  if (number >= 100) return 'lossless'
  return number < 62.5 ? 'low' : number < 82.5 ? 'medium' : 'high'
}
