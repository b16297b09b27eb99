import { EDGES, type Edge, type Format, type Quality } from './tables.ts'
import type { FocalPoint, ImageRequest } from './types.ts'

/** Options of an image as an object: the adapters' form of the methods of ImageRequest. */
export interface Variant {
  /** Most CSS pixels; a side that is left out follows. */
  readonly width?: number
  readonly height?: number
  /** Device pixels per CSS pixel. */
  readonly density?: 1 | 2 | 3
  /** Enlarges what is smaller. */
  readonly fit?: boolean
  readonly crop?: 'centre' | 'auto' | Edge | FocalPoint
  /** Pads to exactly the size, with `background`. */
  readonly pad?: boolean
  readonly trim?: boolean
  /** 3 or 6 hex digits, or `transparent`. */
  readonly background?: string
  readonly quality?: Quality
  /** The service's own choice, JPEG or PNG, unless given. */
  readonly format?: Format
  /** Keeps colours wider than sRGB, as Display P3. */
  readonly wideGamut?: boolean
  /** Keeps who made the image and holds its rights. */
  readonly keepCopyright?: boolean
  /** The best quality that fits into this number of bytes. */
  readonly maxBytes?: number
  /** A list of options that the account gave a name. */
  readonly preset?: string
  /** Most seconds of work. */
  readonly timeout?: number
}

/** Reads a crop such as `auto`, `top` or `0.5x0.3`; an empty text is the centre. Undefined for anything else. */
export const cropOf = (text: string): Variant['crop'] => {
  if (text === '' || text === 'centre' || text === 'center') return 'centre'
  if (text === 'auto') return text
  const edge = EDGES.find((each) => each === text)
  const [, x, y] = /^([01](?:\.\d+)?)x([01](?:\.\d+)?)$/.exec(text) ?? []
  if (edge !== undefined || x === undefined) return edge
  return Number(x) > 1 || Number(y) > 1 ? undefined : { x: Number(x), y: Number(y) }
}

type Step = (request: ImageRequest, variant: Variant) => ImageRequest | undefined

/** One step for each field, undefined where it is not given. */
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

/** The request with all that the variant wants. */
export const askFor = (request: ImageRequest, variant: Variant): ImageRequest =>
  STEPS.reduce((asked, step) => step(asked, variant) || asked, request)

/** The preset that an encoder's number from 1 to 100 is nearest to, as the service reads it; `medium` where there is none. Only 100 asks for no loss. */
export const qualityOf = (number: number | undefined): Quality => {
  if (number === undefined) return 'medium'
  if (number >= 100) return 'lossless'
  return number < 62.5 ? 'low' : number < 82.5 ? 'medium' : 'high'
}
