/** Decides what the stage compares: a result, and the source at the matching position. */
import type { Extent, Point } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { solveGeometry } from '../plan/geometry.ts'
import type { StageScene } from './image-compare.ts'
import { nameOfType } from './matrix.ts'
import { formatBytes } from './numbers.ts'
import { placeSource } from './placement.ts'
import type { Done } from './requests.ts'
import type { Setup } from './setup.ts'
import type { Shown, SourceImage } from './state.ts'

/** A loaded source with its options and outcome. */
export interface Staged {
  readonly item: SourceImage & { readonly shown: Shown }
  readonly options: Options
  readonly outcome: Done | undefined
  /** Detected focal point of `crop=auto`, as fractions of the source. */
  readonly attention: Point | undefined
}

/** Whether a result is a video. */
export const isVideo = ({ type }: Done): boolean => type.startsWith('video/')

/** Predicts the size of a result in px. */
export const predictSize = (
  { item: { shown }, options: { resize } }: Pick<Staged, 'item' | 'options'>,
  { maxSide, maxPixels }: Pick<Setup, 'maxSide' | 'maxPixels'>,
): Extent => {
  const trimmed = shown.trimmed === undefined ? {} : { trimmed: shown.trimmed }
  return solveGeometry({ resize, source: shown, limits: { maxSide, maxPixels }, ...trimmed }).output
}

const resultOf = (outcome: Done): NonNullable<StageScene['result']> => ({
  address: outcome.address,
  isVideo: isVideo(outcome),
  tag: `${nameOfType(outcome.type)} · ${formatBytes(outcome.bytes)}`,
})

/** Returns the scene for a result of this size. The result may not exist yet. */
export const sceneOf = ({ item, options, outcome, attention }: Staged, size: Extent): StageScene => {
  const { trimmed } = options.trim ? item.shown : {}
  const placement = placeSource({
    resize: options.resize,
    source: item.shown,
    result: size,
    ...(trimmed === undefined ? {} : { trimmed }),
    ...(attention === undefined ? {} : { attention }),
  })
  const tag = `Source${item.bytes === undefined ? '' : ` · ${formatBytes(item.bytes)}`}`
  return {
    key: `${item.id} ${size.width}x${size.height}`,
    size,
    source: { address: item.shown.address, placement, tag },
    ...(outcome === undefined ? {} : { result: resultOf(outcome) }),
  }
}
