import type { Box, Orientation, Point, Raster, Rgb } from '../../core/image.ts'
import type { Geometry } from '../../plan/plan.ts'
import { resample } from '../../raster/resample.ts'
import { cutOut } from '../../raster/trim.ts'
import { turnUpright } from '../../raster/turn-upright.ts'
import { framesOf } from './animation.ts'
import type { Animation } from './frames.ts'

/** The transform of every frame: decided once, from the first frame, so that the picture does not jump. */
export interface FrameTransform {
  readonly orientation: Orientation
  readonly trimmed?: Box
  readonly geometry: Geometry
  /** Set by `crop=auto` only: the middle of the crop, as fractions of the whole source. */
  readonly focus?: Point
  /** Frames stay as they are decoded. */
  readonly identity: boolean
}

const cutTo = (frame: Raster, box: Box | undefined): Raster => (box === undefined ? frame : cutOut(frame, box))

/** One frame brought into its final shape; transparency stays. */
export const renderFrame = async (
  frame: Raster,
  transform: FrameTransform,
  background: Rgb | 'transparent' = 'transparent',
): Promise<Raster> => {
  if (transform.identity) return frame
  const { geometry } = transform
  const pixels = cutTo(await turnUpright(frame, transform.orientation), transform.trimmed)
  return resample({ pixels, geometry, background })
}

/** All frames in their final shape, one after the other. */
export async function* renderFrames(
  animation: Animation,
  transform: FrameTransform,
  background: Rgb | 'transparent',
): AsyncGenerator<Raster> {
  for await (const frame of framesOf(animation)) yield await renderFrame(frame, transform, background)
}
