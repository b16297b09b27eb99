import type { Box, Extent, Point } from '../core/image.ts'
import type { Geometry } from './plan.ts'

/** The part of an image that a crop shows, in unrounded source px. */
export interface Window {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** Output px per source px. */
  readonly scale: number
}

/** Steps of a crop without the filter. */
export type WindowSteps = Omit<Geometry, 'warnings' | 'scaleTo'> & { readonly scaleTo: Extent }

/** Factor on the output's area above which the whole image is not scaled before cutting. */
const MAX_AREA_FACTOR = 4
/** Device px up to which the whole image is always scaled before cutting. */
const ALWAYS_SCALED_PX = 1 << 20
/** Source px around the window that the filter reads. Lanczos3 reaches 3 px of the coarser grid. */
const FILTER_REACH = 3

/** The largest part with the output's aspect ratio, with its middle as near to `focus` as the image allows (§2, crop). */
export const placeWindow = (image: Extent, output: Extent, focus: Point): Window => {
  const scale = Math.max(output.width / image.width, output.height / image.height)
  const width = Math.min(image.width, output.width / scale)
  const height = Math.min(image.height, output.height / scale)
  return {
    left: nearest(focus.x * image.width - width / 2, image.width - width),
    top: nearest(focus.y * image.height - height / 2, image.height - height),
    width,
    height,
    scale,
  }
}

/**
 * Steps that show a window at the output's size. Scales the whole image and then cuts it, if that is cheap. Of a very long image, scales
 * only the surroundings of the window. If even these are huge (a fraction of a pixel enlarged), stretches the whole pixels nearest to the
 * window, with an error of at most one source px.
 */
export const windowGeometry = (image: Extent, output: Extent, window: Window): WindowSteps => {
  const bound = Math.max(ALWAYS_SCALED_PX, MAX_AREA_FACTOR * output.width * output.height)
  for (const part of [whole(image), surroundings(image, window)]) {
    const scaleTo = covering(part, output, window.scale)
    if (scaleTo.width * scaleTo.height <= bound) return cutAfterScaling({ image, output, window, part, scaleTo })
  }
  return { extract: wholePixels(image, window), scaleTo: output, output, identity: false }
}

interface Cut {
  readonly image: Extent
  readonly output: Extent
  readonly window: Window
  readonly part: Box
  readonly scaleTo: Extent
}

const cutAfterScaling = ({ image, output, window, part, scaleTo }: Cut): WindowSteps => {
  const crop = {
    left: nearest(Math.round((window.left - part.left) * (scaleTo.width / part.width)), scaleTo.width - output.width),
    top: nearest(Math.round((window.top - part.top) * (scaleTo.height / part.height)), scaleTo.height - output.height),
    ...output,
  }
  const extracted = !sameExtent(part, image)
  const cut = !sameExtent(scaleTo, output)
  return {
    ...(extracted ? { extract: part } : {}),
    scaleTo,
    ...(cut ? { crop } : {}),
    output,
    identity: !extracted && !cut && sameExtent(image, output),
  }
}

const nearest = (wanted: number, most: number): number => Math.min(Math.max(0, most), Math.max(0, wanted))

const sameExtent = (a: Extent, b: Extent): boolean => a.width === b.width && a.height === b.height

const whole = (image: Extent): Box => ({ left: 0, top: 0, width: image.width, height: image.height })

const covering = (part: Extent, output: Extent, scale: number): Extent => ({
  width: Math.max(output.width, Math.round(part.width * scale)),
  height: Math.max(output.height, Math.round(part.height * scale)),
})

const surroundings = (image: Extent, window: Window): Box => {
  const reach = Math.ceil(FILTER_REACH * Math.max(1, 1 / window.scale))
  const left = Math.max(0, Math.floor(window.left) - reach)
  const top = Math.max(0, Math.floor(window.top) - reach)
  return {
    left,
    top,
    width: Math.min(image.width, Math.ceil(window.left + window.width) + reach) - left,
    height: Math.min(image.height, Math.ceil(window.top + window.height) + reach) - top,
  }
}

const wholePixels = (image: Extent, window: Window): Box => {
  const width = Math.max(1, Math.round(window.width))
  const height = Math.max(1, Math.round(window.height))
  return {
    left: nearest(Math.round(window.left + (window.width - width) / 2), image.width - width),
    top: nearest(Math.round(window.top + (window.height - height) / 2), image.height - height),
    width,
    height,
  }
}
