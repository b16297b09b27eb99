import type { Extent } from '../core/image.ts'

/** The view of an image: screen px per device px of the image, and the offset of its middle from the stage's middle. */
export interface StageView {
  readonly scale: number
  readonly x: number
  readonly y: number
}

/** The steps of the zoom buttons. */
const ZOOM_STEPS = [0.1, 0.25, 0.5, 1, 2, 3, 4] as const

/** The whole image, never enlarged. */
export const fitView = (image: Extent, stage: Extent): StageView => ({
  scale: Math.min(1, stage.width / image.width, stage.height / image.height),
  x: 0,
  y: 0,
})

const limitOffset = (offset: number, length: number, stage: number): number => {
  const free = Math.max(0, (length - stage) / 2)
  return Math.min(free, Math.max(-free, offset))
}

/** Limits a view: the image's edges stay outside of the stage, and a smaller image stays centred. */
export const limitView = (view: StageView, image: Extent, stage: Extent): StageView => ({
  scale: view.scale,
  x: limitOffset(view.x, image.width * view.scale, stage.width),
  y: limitOffset(view.y, image.height * view.scale, stage.height),
})

/** Changes the scale and keeps the image's point under `at` (from the stage's middle) in place. */
export const zoomTo = (
  view: StageView,
  scale: number,
  { image, stage, at = { x: 0, y: 0 } }: { image: Extent; stage: Extent; at?: { x: number; y: number } },
): StageView => {
  const least = Math.min(fitView(image, stage).scale, ZOOM_STEPS[0])
  const held = Math.min(ZOOM_STEPS.at(-1)!, Math.max(least, scale))
  const grown = held / view.scale
  return limitView({ scale: held, x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown }, image, stage)
}

/** The next step up or down from a scale. */
export const nextStep = (scale: number, up: boolean): number =>
  up
    ? (ZOOM_STEPS.find((step) => step > scale * 1.001) ?? ZOOM_STEPS.at(-1)!)
    : (ZOOM_STEPS.findLast((step) => step < scale * 0.999) ?? ZOOM_STEPS[0])
