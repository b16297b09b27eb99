/** What a source can be (§4.1); recognised by content only. */
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

/** What can be asked for by `format=` (§2). */
export const REQUESTABLE_FORMATS = ['png', 'jpeg', 'webm', 'h264', 'gif', 'webp', 'avif'] as const
export type RequestableFormat = (typeof REQUESTABLE_FORMATS)[number]

/** What a result can be. */
export type OutputFormat = RequestableFormat | 'svg'

export type VideoFormat = 'webm' | 'h264'
/** Raster formats that one frame can be encoded in. */
export type StillFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif'

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

/** A place in an image as fractions 0..1 of its width and height. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Which colours an image can hold: those of sRGB, or of Display P3, whose red and green are stronger (its curve is sRGB's). */
export const GAMUTS = ['srgb', 'p3'] as const
export type Gamut = (typeof GAMUTS)[number]

/** EXIF orientation; 1 is upright, 5 to 8 swap the sides. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/** Colour by the numbers of ITU-T H.273: which red, green and blue (1 sRGB, 9 BT.2020, 12 P3), and which curve (13 sRGB, 16 PQ, 18 HLG). */
export interface CodePoints {
  readonly primaries: number
  readonly transfer: number
  /** In place of a transfer: what samples are raised to (gAMA of PNG, turned round). */
  readonly gamma?: number
  /** In place of primaries: x and y of white, red, green and blue (cHRM of PNG). */
  readonly chromaticities?: readonly number[]
}

/** What the header of a source tells before anything is decoded. */
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
  /** Embedded colour profile: absent, known to be sRGB, or something that must be applied. */
  readonly profile: 'none' | 'srgb' | 'other'
  /** What the samples mean, where the file says so by code points and no embedded profile outranks them; absent for sRGB. */
  readonly codePoints?: CodePoints
  /** Bytes of the source as received (SVGZ: compressed). */
  readonly bytes: number
  /** Bits per channel as stored (8, 16; 1, 2, 4 for palettes and grey). */
  readonly depth?: number
  /** JPEG alone: IJG quality 1..100 estimated from the quantisation tables, and colour components. */
  readonly jpeg?: { readonly quality: number; readonly components: number }
  /** It brings a gain map for bright (HDR) displays, as far as its header tells. */
  readonly gainMap?: true
  /** How it is to be applied stands in what a result does not keep (the camera's own data): it is of no use elsewhere. */
  readonly gainMapBound?: true
  /** Animations alone: plays in all, 0 = for ever. */
  readonly loop?: number
  /** SVG alone: the file is gzip-compressed (SVGZ). */
  readonly gzipped?: boolean
}

/**
 * Decoded pixels: 8-bit sRGB (or Display P3) samples, interleaved row by row without padding: 3 channels RGB, 4 RGBA with straight alpha
 * (as metrics and encoders take them also 1 grey, 2 grey and alpha).
 */
export interface Raster<Channels extends 1 | 2 | 3 | 4 = 3 | 4> extends Extent {
  readonly channels: Channels
  readonly data: Uint8Array
}

/** Pixels of any number of channels. */
export type AnyRaster = Raster<1 | 2 | 3 | 4>

/** The upright size of an image whose stored size and orientation are given. */
export const uprightExtent = (stored: Extent, orientation: Orientation): Extent =>
  orientation >= 5 ? { width: stored.height, height: stored.width } : { width: stored.width, height: stored.height }
