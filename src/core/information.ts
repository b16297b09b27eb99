import type { OutputFormat, Point, SourceFormat } from './image.ts'

/** A face as fractions 0..1 of the image's sides, with a confidence 0..1. */
export interface FoundFace {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly score: number
}

/** The description of an image that is not optimised (§9.1). */
export interface Information {
  readonly format: SourceFormat
  readonly width: number
  readonly height: number
  readonly bytes: number
  readonly orientation: number
  readonly colourSpace: string
  readonly bitDepth?: number
  readonly alpha: boolean
  readonly frames: number
  readonly durationMs?: number
  readonly jpegQuality?: number
  readonly gainMap: boolean
  readonly dominantColour: string
  readonly thumbHash: string
  readonly preview: string
  readonly faces?: readonly FoundFace[]
  readonly focus: Point
  readonly estimate?: { readonly format: OutputFormat; readonly bytes: number }
}

type Schema = string | number | boolean | readonly Schema[] | { readonly [key: string]: Schema }

/** One field of the description: its meaning and its JSON Schema. */
export interface InformationField {
  readonly meaning: string
  readonly schema: { readonly [key: string]: Schema }
  /** Absent for some images. */
  readonly optional?: true
}

const FRACTION = { type: 'number', minimum: 0, maximum: 1 } as const
const WHOLE = { type: 'integer', minimum: 0 } as const
const COUNT = { type: 'integer', minimum: 1 } as const

const record = (properties: { readonly [key: string]: Schema }): { readonly [key: string]: Schema } => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
})

/** Every field of {@link Information}, in order of the response. Documents and the OpenAPI description are generated from it. */
export const INFORMATION_FIELDS: { readonly [Field in keyof Required<Information>]: InformationField } = {
  format: { meaning: 'Format of the source, detected from its content.', schema: { type: 'string' } },
  width: { meaning: 'Width in pixels, after the orientation is applied.', schema: COUNT },
  height: { meaning: 'Height in pixels, after the orientation is applied.', schema: COUNT },
  bytes: { meaning: 'Size of the source in bytes.', schema: COUNT },
  orientation: {
    meaning: 'EXIF orientation in the file; 1 is upright.',
    schema: { type: 'integer', minimum: 1, maximum: 8 },
  },
  colourSpace: {
    meaning: 'sRGB, CMYK, grey, or the name from the embedded profile or code points.',
    schema: { type: 'string' },
  },
  bitDepth: { meaning: 'Bits per channel in the file.', schema: COUNT, optional: true },
  alpha: { meaning: 'Whether any pixel is not opaque.', schema: { type: 'boolean' } },
  frames: { meaning: 'Frames of an animation; 1 for a still image.', schema: COUNT },
  durationMs: { meaning: 'Duration of one loop of the animation in milliseconds.', schema: WHOLE, optional: true },
  jpegQuality: {
    meaning: 'Quality of a JPEG from 1 to 100, estimated from its quantisation tables.',
    schema: { type: 'integer', minimum: 1, maximum: 100 },
    optional: true,
  },
  gainMap: { meaning: 'Whether the file contains a gain map for HDR displays.', schema: { type: 'boolean' } },
  dominantColour: {
    meaning: 'Colour of the largest part of the image, `#rrggbb`.',
    schema: { type: 'string', pattern: '^#[0-9a-f]{6}$' },
  },
  thumbHash: {
    meaning: 'ThumbHash, a placeholder of about 25 bytes, in base64.',
    schema: { type: 'string', contentEncoding: 'base64' },
  },
  preview: {
    meaning: 'The image scaled down to at most 16 px a side, as a data URL of about 150 characters.',
    schema: { type: 'string', pattern: '^data:image/webp;base64,' },
  },
  faces: {
    meaning: 'Faces as fractions of the sides, most confident first. Absent if the face detector is not installed.',
    schema: {
      type: 'array',
      items: record({ x: FRACTION, y: FRACTION, width: FRACTION, height: FRACTION, score: FRACTION }),
    },
    optional: true,
  },
  focus: {
    meaning: 'The point that a crop should keep near its centre, in the form of `crop=<x>x<y>`.',
    schema: record({ x: FRACTION, y: FRACTION }),
  },
  estimate: {
    meaning:
      'Estimated result of `full` at `quality=medium`; for large images from a search of one part. Still images only.',
    schema: record({ format: { type: 'string' }, bytes: COUNT }),
    optional: true,
  },
}
