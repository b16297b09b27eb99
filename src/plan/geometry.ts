import type { Box, Extent, Point } from '../core/image.ts'
import { type CssPx, toDevice } from '../core/units.ts'
import { unreachable } from '../core/unreachable.ts'
import type { Focus, Resize } from '../options/options.ts'
import { clampExtent } from './limits.ts'
import type { Geometry, Limits } from './plan.ts'
import { kernelFor } from './sharpness.ts'
import { placeWindow, windowGeometry } from './window.ts'

/** Input for the geometry of a result. */
export interface GeometryIntent {
  readonly resize: Resize
  /** Upright size of the source in px, before trimming. */
  readonly source: Extent
  /** The part of the upright source that trimming kept. Absent without trimming. */
  readonly trimmed?: Box
  /** Focal point of `crop=auto` as fractions of the trimmed image. Default: the middle. */
  readonly attention?: Point
  /** The source is a vector: its px are CSS pixels, and it is sharp up to its size x density (§4.4). */
  readonly vector?: boolean
  readonly limits: Pick<Limits, 'maxSide' | 'maxPixels'>
}

type Boxed = Extract<Resize, { kind: 'box' }>

/** The steps from upright, trimmed pixels to output pixels (§2). Never fails: too large a result is scaled down, with a Warning (§2.4). */
export const solveGeometry = (intent: GeometryIntent): Geometry => {
  const { resize, trimmed, source } = intent
  const image = trimmed === undefined ? source : { width: trimmed.width, height: trimmed.height }
  const steps = solveSteps(image, intent)
  const density = resize.kind === 'box' ? resize.density : 1
  const kernel = kernelFor(steps.scaleTo.width / (steps.extract ?? image).width, density)
  return { ...steps, scaleTo: { ...steps.scaleTo, kernel } }
}

/** A geometry without its filter. */
type Steps = Omit<Geometry, 'scaleTo'> & { readonly scaleTo: Extent }

const solveSteps = (image: Extent, intent: GeometryIntent): Steps => {
  const { resize } = intent
  if (resize.kind === 'full') return scaled(image, image, intent)
  switch (resize.method.kind) {
    case 'scale-down':
      return scaled(image, scaledDown(image, resize, intent.vector === true ? resize.density : 1), intent)
    case 'fit':
      return scaled(image, fitted(image, deviceBox(resize)), intent)
    case 'pad':
      return padded(image, resize, intent)
    case 'crop':
      return cropped(image, resize, resize.method.focus, intent)
    default:
      return unreachable(resize.method)
  }
}

/** Maps a point of the whole image to the trimmed one. A point that was trimmed away moves to the nearest edge. */
export const pointAfterTrim = (at: Point, whole: Extent, left: Box): Point => ({
  x: clampFraction((at.x * whole.width - left.left) / left.width),
  y: clampFraction((at.y * whole.height - left.top) / left.height),
})

/** Maps a point of the trimmed image to the whole one. */
export const pointBeforeTrim = (at: Point, whole: Extent, left: Box): Point => ({
  x: (left.left + at.x * left.width) / whole.width,
  y: (left.top + at.y * left.height) / whole.height,
})

const clampFraction = (value: number): number => Math.min(1, Math.max(0, value))

interface DeviceBox {
  readonly width: number
  readonly height: number
}

const deviceBox = (resize: Boxed): DeviceBox => {
  const side = (px: CssPx | undefined): number => (px === undefined ? Infinity : toDevice(px, resize.density))
  return { width: side(resize.width), height: side(resize.height) }
}

/** The largest size inside the box. The limiting side equals the box's; the other is rounded, at least 1. */
const fitted = (image: Extent, box: DeviceBox): Extent => {
  const scale = Math.min(box.width / image.width, box.height / image.height)
  const side = (length: number): number => Math.max(1, Math.round(length * scale))
  return { width: side(image.width), height: side(image.height) }
}

const scaledDown = (image: Extent, resize: Boxed, natural: number): Extent => {
  const whole = { width: image.width * natural, height: image.height * natural }
  const box = deviceBox(resize)
  return whole.width <= box.width && whole.height <= box.height ? whole : fitted(image, box)
}

const scaled = (image: Extent, wanted: Extent, { limits }: GeometryIntent): Steps => {
  const output = clampExtent(wanted, limits)
  return {
    scaleTo: output,
    output,
    identity: output.width === image.width && output.height === image.height,
    warnings: clampWarnings(wanted, output),
  }
}

const padded = (image: Extent, resize: Boxed, { limits }: GeometryIntent): Steps => {
  const wanted = deviceBox(resize)
  const output = clampExtent(wanted, limits)
  const scaleTo = fitted(image, output)
  const full = scaleTo.width === output.width && scaleTo.height === output.height
  const left = Math.floor((output.width - scaleTo.width) / 2)
  const top = Math.floor((output.height - scaleTo.height) / 2)
  return {
    scaleTo,
    ...(full ? {} : { canvas: { ...output, left, top } }),
    output,
    identity: full && image.width === output.width && image.height === output.height,
    warnings: clampWarnings(wanted, output),
  }
}

const cropped = (image: Extent, resize: Boxed, focus: Focus, intent: GeometryIntent): Steps => {
  const wanted = deviceBox(resize)
  const output = clampExtent(wanted, intent.limits)
  const window = placeWindow(image, output, focusPoint(focus, intent))
  return { ...windowGeometry(image, output, window), warnings: clampWarnings(wanted, output) }
}

const CENTRE: Point = { x: 0.5, y: 0.5 }
const EDGE_POINTS = {
  top: { x: 0.5, y: 0 },
  bottom: { x: 0.5, y: 1 },
  left: { x: 0, y: 0.5 },
  right: { x: 1, y: 0.5 },
} as const satisfies Record<string, Point>

/** The focus as a point that the crop comes as near to as the image allows. */
const focusPoint = (focus: Focus, { source, trimmed, attention }: GeometryIntent): Point => {
  switch (focus.kind) {
    case 'centre':
      return CENTRE
    case 'auto':
      return attention ?? CENTRE
    case 'edge':
      return EDGE_POINTS[focus.edge]
    case 'point':
      return trimmed === undefined ? focus.at : pointAfterTrim(focus.at, source, trimmed)
    default:
      return unreachable(focus)
  }
}

const clampWarnings = (wanted: Extent, output: Extent): readonly string[] =>
  wanted.width === output.width && wanted.height === output.height
    ? []
    : [
        `The result would be ${wanted.width}x${wanted.height} px, which is beyond the limits; it is scaled down to ${output.width}x${output.height} px.`,
      ]
