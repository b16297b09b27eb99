/** Bounds on a metric's memory, in bytes where no other unit is named. */
export interface MetricLimits {
  /** A reference that would take more is not kept: every comparison streams both images through a few rows. */
  readonly keep: number
  /** Memory that instances at rest may hold for the next image. */
  readonly idle: number
  /** Pixels of a strip. Colours and contours are measured strip by strip. */
  readonly strip: number
  /** Columns that Butteraugli compares at once where it keeps nothing. */
  readonly columns: number
}

export const DEFAULT_LIMITS: MetricLimits = { keep: 128 * 2 ** 20, idle: 192 * 2 ** 20, strip: 4e6, columns: 2048 }
