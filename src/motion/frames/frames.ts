import type { Extent, Raster } from '../../core/image.ts'

/** An animation whose composited frames can be read, in order or again. */
export interface Animation {
  /** Stored size of a frame in px. */
  readonly extent: Extent
  readonly frames: number
  /** ms as stored, one a frame */
  readonly delays: readonly number[]
  /** Plays in all, 0 = for ever. */
  readonly loop: number
  /** Composited frames from `from` on, at most `count`, RGBA. Fails with SOURCE_DAMAGED. */
  readonly read: (from: number, count: number) => Promise<readonly Raster[]>
}
