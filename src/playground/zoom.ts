import type { Extent } from '../core/image.ts'

/** The view of an image. `scale`: screen px per px of the image. `x` and `y`: offset of its centre from that of the stage, in screen px. */
export interface StageView {
  readonly scale: number
  readonly x: number
  readonly y: number
}

/** Scales that the zoom buttons select. */
const ZOOM_STEPS = [0.1, 0.25, 0.5, 1, 2, 3, 4] as const

/** Returns the view of the whole image, not enlarged. */
export const fitView = (image: Extent, stage: Extent): StageView => ({
  scale: Math.min(1, stage.width / image.width, stage.height / image.height),
  x: 0,
  y: 0,
})

const limitOffset = (offset: number, length: number, stage: number): number => {
  const free = Math.max(0, (length - stage) / 2)
  return Math.min(free, Math.max(-free, offset))
}

/** Limits the offset of a view: a large image covers the stage, a small one is centred. */
export const limitView = (view: StageView, image: Extent, stage: Extent): StageView => ({
  scale: view.scale,
  x: limitOffset(view.x, image.width * view.scale, stage.width),
  y: limitOffset(view.y, image.height * view.scale, stage.height),
})

/** Changes the scale around the point `at`, in screen px from the centre of the stage. Limits scale and offset. */
export const zoomTo = (
  view: StageView,
  scale: number,
  { image, stage, at = { x: 0, y: 0 } }: { image: Extent; stage: Extent; at?: { x: number; y: number } },
): StageView => {
  const smallest = Math.min(fitView(image, stage).scale, ZOOM_STEPS[0])
  const limited = Math.min(ZOOM_STEPS.at(-1)!, Math.max(smallest, scale))
  const factor = limited / view.scale
  return limitView(
    { scale: limited, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor },
    image,
    stage,
  )
}

/** Returns the next scale of the zoom buttons, up or down. */
export const nextStep = (scale: number, up: boolean): number =>
  up
    ? (ZOOM_STEPS.find((step) => step > scale * 1.001) ?? ZOOM_STEPS.at(-1)!)
    : (ZOOM_STEPS.findLast((step) => step < scale * 0.999) ?? ZOOM_STEPS[0])
