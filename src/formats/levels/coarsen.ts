import type { Raster } from '../../core/image.ts'
import { DIFFUSED_SHARE, NEIGHBOUR_SHARES } from '../diffusion.ts'

/** Steps between two levels of red, green, blue and alpha, where that of green is one: the eye sees steps of blue and of alpha least. */
const COLOUR_STEPS = [1.2, 1, 2, 1.5] as const
/** The same for an image that is grey, which its colours must stay. */
const GREY_STEPS = [1, 1, 1, 2] as const
const CHANNELS = COLOUR_STEPS.length

/** For each sample value the nearest of levels that lie `step` apart, about: 0 and 255 are always among them. */
const levelsOf = (step: number): Uint8Array => {
  const gaps = Math.max(1, Math.round(255 / step))
  return Uint8Array.from({ length: 256 }, (_, value) => Math.round((Math.round((value / 255) * gaps) * 255) / gaps))
}

/** Parameters of coarsening. */
export interface Coarseness {
  /** Sample values between two levels of green, at least 1. */
  readonly step: number
  /** Whether the image is grey. */
  readonly grey: boolean
  /** For each pixel 1 where the image is a gradient: there errors are diffused, so that no bands show. */
  readonly smooth: Uint8Array
  /** For each pixel 1 where its colour stays as it is. */
  readonly kept: Uint8Array
}

/**
 * The image in fewer levels of each channel, as a raster of its own. Pixels that are wholly transparent become black, and pixels that are
 * wholly opaque or transparent stay so.
 */
export const coarsen = (pixels: Raster, { step, grey, smooth, kept }: Coarseness): Raster => {
  const { width, height, channels, data } = pixels
  const levels = (grey ? GREY_STEPS : COLOUR_STEPS).map((ratio) => levelsOf(step * ratio))
  const coarse = new Uint8Array(data.length)
  let errors = new Float32Array((width + 2) * CHANNELS)
  let below = new Float32Array((width + 2) * CHANNELS)
  const handOn = (place: number, error: number): void => {
    const handed = error * DIFFUSED_SHARE
    errors[place + CHANNELS]! += handed * NEIGHBOUR_SHARES.right
    below[place - CHANNELS]! += handed * NEIGHBOUR_SHARES.belowLeft
    below[place]! += handed * NEIGHBOUR_SHARES.below
    below[place + CHANNELS]! += handed * NEIGHBOUR_SHARES.belowRight
  }
  for (let y = 0, at = 0, sample = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1, sample += channels) {
      const alpha = channels === 4 ? data[sample + 3]! : 255
      if (alpha === 0) continue
      if (kept[at] === 1) {
        for (let c = 0; c < channels; c += 1) coarse[sample + c] = data[sample + c]!
        continue
      }
      for (let c = 0; c < channels; c += 1) {
        const value = data[sample + c]!
        if (c === 3 && alpha === 255) {
          coarse[sample + c] = alpha
          continue
        }
        const place = (x + 1) * CHANNELS + c
        const wanted = smooth[at] === 0 ? value : Math.max(0, Math.min(255, value + errors[place]!))
        const level = levels[c]![Math.round(wanted)]!
        coarse[sample + c] = level
        if (smooth[at] === 1) handOn(place, wanted - level)
      }
    }
    ;[errors, below] = [below, errors]
    below.fill(0)
  }
  return { width, height, channels, data: coarse }
}
