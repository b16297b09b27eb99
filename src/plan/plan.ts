import type { Box, Extent, Gamut, OutputFormat, Rgb } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import type { Preset, Resize } from '../options/options.ts'

/** What quality the result must have. Scores are SSIMULACRA 2.1 (0..100). */
export type Target =
  | { readonly kind: 'lossless' }
  | { readonly kind: 'score'; readonly score: number; readonly preset: Exclude<Preset, 'lossless'> }

/** Size limits in force for one request (§7): settings, overridden by the account's own. */
export interface Limits {
  readonly maxBytes: number
  /** px of one frame */
  readonly maxPixels: number
  /** px a side */
  readonly maxSide: number
  /** px of all frames together */
  readonly maxTotalPixels: number
  /** Frames of an animation that stays one; the motion room's own default where absent. */
  readonly maxFrames?: number
  /** ms that an animation may play when it is made into video or AVIF; likewise. */
  readonly maxDurationMs?: number
}

/** What is to be done with a source, decided before any pixel is decoded. Plain data: it crosses to the child process. */
export interface Plan {
  readonly trim: boolean
  readonly resize: Resize
  readonly background: Rgb | 'transparent'
  readonly target: Target
  /** Output formats to choose from: the smallest at the target wins; never empty. */
  readonly formats: readonly OutputFormat[]
  /** All frames are kept (§4.3). */
  readonly animated: boolean
  /** §3.4: a result larger than the source is replaced by the source, stored as it may be. */
  readonly neverLarger: boolean
  /** §3.4: nothing but the format changes, and a result larger than the source is told in a Warning. */
  readonly mayGrow: boolean
  /** The result is a JPEG of the source's own size, and the source's gain map goes behind it. */
  readonly keepGainMap?: true
  /** The result's colours, where they are wider than sRGB. */
  readonly gamut?: Exclude<Gamut, 'srgb'>
  readonly limits: Limits
  readonly warnings: readonly string[]
}

/** Device pixels a CSS pixel that a plan is for. */
export const densityOf = ({ resize }: Pick<Plan, 'resize'>): Density => (resize.kind === 'box' ? resize.density : 1)

/** The size that an image is scaled to, and the filter that does it (plan/sharpness). */
export interface Scaling extends Extent {
  /** Lanczos3 unless given. */
  readonly kernel?: ResampleKernel
}

export type ResampleKernel = 'lanczos3' | 'cubic'

/** The way from upright (and trimmed) pixels to output pixels. Whole device pixels throughout. */
export interface Geometry {
  /** First cut this out of the source, or all of it. */
  readonly extract?: Box
  /** Then scale what is left to this. */
  readonly scaleTo: Scaling
  /** Then cut this out of the scaled image. */
  readonly crop?: Box
  /** Then lay the image on a canvas of the background colour, at this offset. */
  readonly canvas?: Extent & { readonly left: number; readonly top: number }
  /** Size of the result. */
  readonly output: Extent
  /** Whether anything changes at all. */
  readonly identity: boolean
  readonly warnings: readonly string[]
}
