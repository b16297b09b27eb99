import { findFocus, type Notice } from '../../attention/find-attention.ts'
import { type Box, type Extent, type Orientation, type Point, type Raster, uprightExtent } from '../../core/image.ts'
import { pointBeforeTrim, solveGeometry } from '../../plan/geometry.ts'
import type { Geometry, Limits, Plan } from '../../plan/plan.ts'
import { findBorder } from '../../raster/trim.ts'
import { turnUpright } from '../../raster/turn-upright.ts'
import { framesOf, pickFrames } from './animation.ts'
import type { Animation } from './frames.ts'
import { type FrameTransform, renderFrame } from './render.ts'

/** The smallest box around two boxes. */
const union = (a: Box, b: Box): Box => {
  const left = Math.min(a.left, b.left)
  const top = Math.min(a.top, b.top)
  return {
    left,
    top,
    width: Math.max(a.left + a.width, b.left + b.width) - left,
    height: Math.max(a.top + a.height, b.top + b.height) - top,
  }
}

const wordsOf = ({ data }: Raster): Uint32Array =>
  data.byteOffset % 4 === 0
    ? new Uint32Array(data.buffer, data.byteOffset, data.length / 4)
    : new Uint32Array(data.slice().buffer)

/** The box of all pixels that differ from a colour; undefined where none does. */
const contentBox = (frame: Raster, colour: number): Box | undefined => {
  const words = wordsOf(frame)
  const { width, height } = frame
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (words[y * width + x] === colour) continue
      if (x < left) left = x
      if (x > right) right = x
      if (y < top) top = y
      bottom = y
    }
  }
  return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 }
}

/** The first frame's border, as far as no frame draws into it: nothing that moves is cut off. */
const findSharedBorder = async (animation: Animation, orientation: Orientation): Promise<Box | undefined> => {
  let box: Box | undefined
  let colour = 0
  for await (const stored of framesOf(animation)) {
    const frame = await turnUpright(stored, orientation)
    if (box === undefined) {
      box = findBorder(frame)
      if (box === undefined) return undefined
      const words = wordsOf(frame)
      colour = box.left > 0 || box.top > 0 ? words[0]! : words.at(-1)!
    } else {
      const content = contentBox(frame, colour)
      if (content !== undefined) box = union(box, content)
    }
    if (box.width === frame.width && box.height === frame.height) return undefined
  }
  return box
}

export interface FrameTransformRequest {
  readonly animation: Animation
  readonly orientation: Orientation
  readonly plan: Pick<Plan, 'trim' | 'resize'>
  readonly limits: Pick<Limits, 'maxSide' | 'maxPixels'>
  readonly notice?: Notice
}

const wantsAttention = ({ resize }: FrameTransformRequest['plan']): boolean =>
  resize.kind === 'box' && resize.method.kind === 'crop' && resize.method.focus.kind === 'auto'

const cut = (box: Box | undefined, whole: Extent): Box => box ?? { left: 0, top: 0, ...whole }

/** `crop=auto` looks at 3 of the first 100 frames: one alone may be a title, or black. */
const FOCUS_FRAMES = { count: 3, amongFirst: 100 } as const

const framesToLookAt = (frames: number): number[] => {
  const among = Math.min(frames, FOCUS_FRAMES.amongFirst)
  return [
    ...new Set(
      Array.from({ length: FOCUS_FRAMES.count }, (_, k) => Math.floor(((k + 0.5) / FOCUS_FRAMES.count) * among)),
    ),
  ]
}

/** The middle of what `crop=auto` shows of all frames, as a fraction of what trimming left. */
const focusOf = async (
  { animation, orientation, notice }: FrameTransformRequest,
  box: Box,
  output: Extent,
): Promise<Point> => {
  const seen: Raster[] = []
  const same = { scaleTo: { width: box.width, height: box.height }, output: box, identity: true, warnings: [] }
  for (const frame of await pickFrames(animation, framesToLookAt(animation.frames)))
    seen.push(await renderFrame(frame, { orientation, trimmed: box, geometry: same, identity: false }))
  return findFocus(seen, output, notice)
}

/** Looks at the frames as far as needed and decides what becomes of each. */
export const decideFrameTransform = async (request: FrameTransformRequest): Promise<FrameTransform> => {
  const { animation, orientation, plan, limits } = request
  const source = uprightExtent(animation.extent, orientation)
  const trimmed = plan.trim ? await findSharedBorder(animation, orientation) : undefined
  const solve = (attention?: Point): Geometry =>
    solveGeometry({
      resize: plan.resize,
      source,
      ...(trimmed === undefined ? {} : { trimmed }),
      ...(attention === undefined ? {} : { attention }),
      limits,
    })
  const box = cut(trimmed, source)
  const attention = wantsAttention(plan) ? await focusOf(request, box, solve().output) : undefined
  const geometry = solve(attention)
  return {
    ...(attention === undefined ? {} : { focus: pointBeforeTrim(attention, source, box) }),
    orientation,
    ...(trimmed === undefined ? {} : { trimmed }),
    geometry,
    identity: orientation === 1 && trimmed === undefined && geometry.identity,
  }
}
