import type { AnyRaster, Raster, StillFormat } from '../core/image.ts'
import type { BoundName } from '../plan/promise.ts'
import type { Curve } from '../search/curve.ts'
import type { Margins } from '../search/margins.ts'
import type { SettingAxis } from '../search/setting-problem.ts'

/** One way to encode at every setting of an axis. */
export interface QualityEffort {
  readonly encode: (pixels: Raster, setting: number) => Promise<Uint8Array>
  /** CPU of one encode, decoded and measured, in ms per megapixel on a slow core. */
  readonly msPerMegapixel: number
}

/** A measured encode of one effort. */
export interface EffortTrial {
  readonly setting: number
  readonly effort: QualityEffort
  readonly margins: Margins<BoundName>
}

/** All margins moved up by `points`. */
export const shifted = (margins: Margins<BoundName>, points: number): Margins<BoundName> =>
  Object.fromEntries(Object.entries(margins).map(([bound, margin]) => [bound, margin + points]))

/** A lossy encoder with one quality setting. */
export interface QualityEncoder {
  readonly format: StillFormat
  readonly axis: SettingAxis
  /** Decodes a file of this encoder; sharp decodes it where this is absent. */
  readonly decode?: (file: Uint8Array) => Promise<AnyRaster>
  /** Median score by setting of a full encode: SSIMULACRA 2.1, or what another bound counts for, if less. */
  readonly curve: Curve
  /** The largest step beyond all trials, in settings; unlimited where it is absent. */
  readonly maxJump?: number
  /**
   * Points by which a trial may break a cheaper bound and still have Butteraugli measured, which predicts better which setting keeps every
   * bound; 0 where it is absent.
   */
  readonly patience?: number
  /** Rise of the natural logarithm of bytes per point of margin, by score. */
  readonly rise: Curve
  /** Share of the bytes that another full encode must be expected to save, by score: `MIN_SAVING` unless given. */
  readonly minSaving?: Curve
  /** A fraction of the CPU of a full encode for more bytes. */
  readonly draft: QualityEffort
  /** An effort between a draft and a full encode, in CPU and bytes, for requests in haste. It follows the drafts. */
  readonly between?: QualityEffort
  /** For large images: points that are added where a contour or a tile's colour breaks its bound; 0 where it is absent. */
  readonly tileNoise?: number
  /** For large images: whether encodes follow between a setting that breaks a bound and one that keeps all. Worth it where a step changes the bytes by 3 % or more. */
  readonly narrows?: true
  /** For large images: an effort that reaches bounds which `full` breaks at every setting. */
  readonly finest?: QualityEffort
  /** Time of an encode of a large image over its CPU, where parts of it are encoded at once; 1 where it is absent. */
  readonly wholeTime?: number
  /** For large images: whether an encode that takes too long goes on with a lower effort. */
  readonly canDrop?: boolean
  /** For large images: encodes of the whole that must fit into the time; 2 where it is absent. A single one aims higher. */
  readonly minWholes?: number
  /** The margins that an encode of another effort is expected to have at the setting of a trial. */
  readonly expected: (trial: EffortTrial, effort: QualityEffort) => Margins<BoundName>
  /** The effort for a goal in points of score and the margins of the trials so far. */
  readonly full: (goal: number, measured: readonly Margins<BoundName>[]) => QualityEffort
}
