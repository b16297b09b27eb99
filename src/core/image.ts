/** Source formats (§4.1), recognised by content. */
const SOURCE_FORMATS = [
  'jpeg',
  'png',
  'gif',
  'svg',
  'webp',
  'avif',
  'tiff',
  'heic',
  'jxl',
  'bmp',
  'ico',
  'psd',
] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

/** Formats for `format=` (§2). */
export const REQUESTABLE_FORMATS = ['png', 'jpeg', 'webm', 'h264', 'gif', 'webp', 'avif', 'jxl'] as const
export type RequestableFormat = (typeof REQUESTABLE_FORMATS)[number]

/** Formats of results. */
export type OutputFormat = RequestableFormat | 'svg'

export type VideoFormat = 'webm' | 'h264'
/** Raster formats for a single frame. */
export type StillFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif' | 'jxl'

/** Content types of every source and result format. */
export const CONTENT_TYPES: Readonly<Record<SourceFormat | OutputFormat, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  avif: 'image/avif',
  tiff: 'image/tiff',
  heic: 'image/heic',
  jxl: 'image/jxl',
  bmp: 'image/bmp',
  ico: 'image/vnd.microsoft.icon',
  psd: 'image/vnd.adobe.photoshop',
  webm: 'video/webm',
  h264: 'video/mp4',
}

/** Width and height in device pixels; whole numbers of at least 1. */
export interface Extent {
  readonly width: number
  readonly height: number
}

/** A rectangle of device pixels inside an image. */
export interface Box extends Extent {
  readonly left: number
  readonly top: number
}

/** An 8-bit sRGB colour, each channel 0..255. */
export interface Rgb {
  readonly r: number
  readonly g: number
  readonly b: number
}

/** A point in an image as fractions 0..1 of its width and height. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Gamuts: sRGB, or Display P3 with wider primaries and the same transfer curve. */
export const GAMUTS = ['srgb', 'p3'] as const
export type Gamut = (typeof GAMUTS)[number]

/** Metadata that a result keeps: none, or creator and rights holder. */
export const METADATA = ['none', 'copyright'] as const
export type Metadata = (typeof METADATA)[number]

/** EXIF orientation; 1 is upright, 5 to 8 swap the sides. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/** Code points of ITU-T H.273: primaries (1 sRGB, 9 BT.2020, 12 P3) and transfer (13 sRGB, 16 PQ, 18 HLG). */
export interface CodePoints {
  readonly primaries: number
  readonly transfer: number
  /** Replaces the transfer: the exponent for samples (the inverse of gAMA in PNG). */
  readonly gamma?: number
  /** Replaces the primaries: x and y of white, red, green and blue (cHRM in PNG). */
  readonly chromaticities?: readonly number[]
}

/** Facts about a source from its header, before decoding. */
export interface SourceFacts {
  readonly format: SourceFormat
  /** Stored size in px, before the orientation is applied. For SVG: the drawn size at 1x, from width/height or the viewBox. */
  readonly width: number
  readonly height: number
  /** At least 1. */
  readonly frames: number
  /** Whether the format's header allows transparency in this file (real transparency needs pixels). */
  readonly alpha: boolean
  readonly orientation: Orientation
  /** The embedded colour profile: none, sRGB, or one that must be applied. */
  readonly profile: 'none' | 'srgb' | 'other'
  /** The colours by code points, unless an embedded profile has precedence. Absent for sRGB. */
  readonly codePoints?: CodePoints
  /** Bytes of the source as received (compressed for SVGZ). */
  readonly bytes: number
  /** Bits per channel as stored (8 or 16; also 1, 2, 4 for palettes and grey). */
  readonly depth?: number
  /** JPEG only: number of components, and IJG quality 1..100 estimated from the quantisation tables. */
  readonly jpeg?: { readonly quality: number; readonly components: number }
  /** Lossy WebP, AVIF, and GIF with many colours: IJG quality 1..100 of a JPEG with the same loss, estimated from the header. */
  readonly equivalentQuality?: number
  /** The header declares a gain map for HDR displays. */
  readonly gainMap?: true
  /** The gain map depends on camera data that results do not keep, so it cannot be kept either. */
  readonly gainMapBound?: true
  /** Animations only: number of plays, 0 = endless. */
  readonly loop?: number
  /** SVG only: the file is gzip-compressed (SVGZ). */
  readonly gzipped?: boolean
  /** The mark of a lossy result of this engine. */
  readonly mark?: ResultMark
}

/** The loss of a lossy result against its original, as stated in the file. Clients can forge it, so it may only make encoding gentler. */
export interface ResultMark {
  /** The preset whose bounds the result meets. */
  readonly level: 'low' | 'medium' | 'high'
  /** The density of these bounds. */
  readonly density: 1 | 2 | 3
  /** Points of SSIMULACRA 2.1 below 100. */
  readonly loss: number
  /** Butteraugli's 3-norm. */
  readonly distance: number
}

/**
 * Decoded pixels: 8-bit samples in sRGB or Display P3, interleaved, rows without padding. 3 channels are RGB, 4 are RGBA with straight
 * alpha. For metrics and encoders also 1 (grey) and 2 (grey with alpha).
 */
export interface Raster<Channels extends 1 | 2 | 3 | 4 = 3 | 4> extends Extent {
  readonly channels: Channels
  readonly data: Uint8Array
}

/** Pixels with any number of channels. */
export type AnyRaster = Raster<1 | 2 | 3 | 4>

/** The upright size of an image, from its stored size and orientation. */
export const uprightExtent = (stored: Extent, orientation: Orientation): Extent =>
  orientation >= 5 ? { width: stored.height, height: stored.width } : { width: stored.width, height: stored.height }
