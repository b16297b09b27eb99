import type { Box, Extent, Point } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { solveGeometry } from '../plan/geometry.ts'
import { placeWindow } from '../plan/window.ts'

/** Position and size of the whole source in px of the result. It may extend beyond the result. */
export interface Placement extends Extent {
  readonly left: number
  readonly top: number
}

/** A source and its result. */
export interface Pair {
  readonly resize: Options['resize']
  /** Size of the upright source in px. */
  readonly source: Extent
  /** The part of the source inside a trimmed border, in px. */
  readonly trimmed?: Box
  /** Size of the result in device px. */
  readonly result: Extent
  /** Detected focal point of `crop=auto`, as fractions of the source. */
  readonly attention?: Point
}

const UNLIMITED = { maxSide: Number.POSITIVE_INFINITY, maxPixels: Number.POSITIVE_INFINITY }

/** Returns the window of a crop in px of the (trimmed) source, or undefined for other methods. */
export const cropWindow = (
  resize: Options['resize'],
  image: Extent,
  attention?: Point,
): { readonly left: number; readonly top: number; readonly width: number; readonly height: number } | undefined => {
  if (resize.kind === 'full' || resize.method.kind !== 'crop') return undefined
  const { focus } = resize.method
  const at: Point =
    focus.kind === 'point'
      ? focus.at
      : focus.kind === 'auto'
        ? (attention ?? { x: 0.5, y: 0.5 })
        : focus.kind === 'edge'
          ? EDGE_POINTS[focus.edge]
          : { x: 0.5, y: 0.5 }
  const { width = 1, height = 1 } = resize
  return placeWindow(image, { width, height }, at)
}

const EDGE_POINTS = {
  top: { x: 0.5, y: 0 },
  bottom: { x: 0.5, y: 1 },
  left: { x: 0, y: 0.5 },
  right: { x: 1, y: 0.5 },
} as const

/** Returns the placement at which the source covers a result exactly. */
export const placeSource = ({ resize, source, trimmed, result, attention }: Pair): Placement => {
  const image: Box = trimmed ?? { left: 0, top: 0, ...source }
  const inner = placeImage(resize, image, result, attention)
  const scale = { x: inner.width / image.width, y: inner.height / image.height }
  return {
    left: inner.left - image.left * scale.x,
    top: inner.top - image.top * scale.y,
    width: source.width * scale.x,
    height: source.height * scale.y,
  }
}

const placeImage = (resize: Options['resize'], image: Extent, result: Extent, attention?: Point): Placement => {
  const window = cropWindow(resize, image, attention)
  if (window !== undefined) {
    const scale = result.width / window.width
    return {
      left: 0 - window.left * scale,
      top: 0 - window.top * scale,
      width: image.width * scale,
      height: image.height * scale,
    }
  }
  if (resize.kind === 'full' || resize.method.kind !== 'pad') return { left: 0, top: 0, ...result }
  const { scaleTo, canvas, output } = solveGeometry({ resize, source: image, limits: UNLIMITED })
  const shrink = result.width / output.width
  return {
    left: (canvas?.left ?? 0) * shrink,
    top: (canvas?.top ?? 0) * shrink,
    width: scaleTo.width * shrink,
    height: scaleTo.height * shrink,
  }
}
