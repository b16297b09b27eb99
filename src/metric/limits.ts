/** Bounds on a metric's memory, in bytes. */
export interface MetricLimits {
  /** A reference that would take more is not kept: every comparison streams both images through a few rows. */
  readonly keep: number
  /** Memory that instances at rest may hold for the next image. */
  readonly idle: number
}

/** What a metric holds to when nothing else is said. */
export const DEFAULT_LIMITS: MetricLimits = { keep: 640 * 2 ** 20, idle: 192 * 2 ** 20 }
