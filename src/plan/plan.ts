import type { Box, Extent, Gamut, OutputFormat, ResultMark, Rgb, StillFormat } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import type { Preset, Resize } from '../options/options.ts'

/** The required quality. Scores are SSIMULACRA 2.1 (0..100). */
export type Target =
  | { readonly kind: 'lossless' }
  | {
      readonly kind: 'score'
      readonly score: number
      readonly preset: Exclude<Preset, 'lossless'>
      readonly spent?: Spent
      /** `max-bytes=` reduces the result: small images are scored among their mirror images. */
      readonly reduced?: true
    }

/** The loss of a source against its own original, per bound. */
export interface Spent {
  /** Butteraugli's 3-norm. */
  readonly butteraugli3: number
  /** CIEDE2000 of the worst tile. */
  readonly tileColour: number
  /** Sample values of the worst false contour. */
  readonly contour: number
}

/** Size limits in force for one request (§7): settings, overridden by the account's own. */
export interface Limits {
  readonly maxBytes: number
  /** px of one frame */
  readonly maxPixels: number
  /** px a side */
  readonly maxSide: number
  /** px of all frames together */
  readonly maxTotalPixels: number
  /** Maximum frames of an animation. Absent: the default of `motion`. */
  readonly maxFrames?: number
  /** Maximum duration in ms of an animation that becomes video or AVIF. Absent: the default of `motion`. */
  readonly maxDurationMs?: number
}

/** The decisions for a source, made before pixels are decoded. Plain data, since it is sent to the child process. */
export interface Plan {
  readonly trim: boolean
  readonly resize: Resize
  readonly background: Rgb | 'transparent'
  readonly target: Target
  /** Output formats to choose from, never empty. The smallest result at the target wins. */
  readonly formats: readonly OutputFormat[]
  /** The requested format. If the pixels allow it, the others are not searched. */
  readonly preferred?: StillFormat
  /** Whether all frames are kept (§4.3). */
  readonly animated: boolean
  /** §3.4: a result larger than the source is replaced by the source itself. */
  readonly neverLarger: boolean
  /** §3.4: only the format changes, and a Warning reports a result larger than the source. */
  readonly mayGrow: boolean
  /** The result is a JPEG of the source's size, and the source's gain map is appended to it. */
  readonly keepGainMap?: true
  /** More CPU than usual for fewer bytes of still WebP and AVIF. */
  readonly effort?: 'more'
  /** Maximum bytes of the result. */
  readonly maxBytes?: number
  /** Creator and rights holder of the source are written into the result. */
  readonly keepRights?: true
  /** The result's gamut, if it is wider than sRGB. */
  readonly gamut?: Exclude<Gamut, 'srgb'>
  /** The source is a result that meets the requested quality. Its pixels stay, and only its bytes may change. */
  readonly keepsPixels?: true
  /** The previous loss of a source that is a result of unchanged size. */
  readonly spent?: ResultMark
  readonly limits: Limits
  readonly warnings: readonly string[]
}

/** Device pixels per CSS pixel. */
export const densityOf = ({ resize }: Pick<Plan, 'resize'>): Density => (resize.kind === 'box' ? resize.density : 1)

/** The size to scale to, and the filter (plan/sharpness). */
export interface Scaling extends Extent {
  /** Default: Lanczos3. */
  readonly kernel?: ResampleKernel
}

export type ResampleKernel = 'lanczos3' | 'cubic'

/** The steps from upright, trimmed pixels to output pixels. All sizes are whole device pixels. */
export interface Geometry {
  /** First, cut this part out of the source. */
  readonly extract?: Box
  /** Then scale it to this size. */
  readonly scaleTo: Scaling
  /** Then cut this part out of the scaled image. */
  readonly crop?: Box
  /** Then place the image on a canvas of the background colour, at this offset. */
  readonly canvas?: Extent & { readonly left: number; readonly top: number }
  /** Size of the result. */
  readonly output: Extent
  /** Whether the pixels stay unchanged. */
  readonly identity: boolean
  readonly warnings: readonly string[]
}
