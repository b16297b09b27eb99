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

/** Values that all rows of an image share. */
interface Coarsening extends Pick<Coarseness, 'smooth' | 'kept'> {
  readonly pixels: Raster
  readonly coarse: Uint8Array
  /** Levels of each channel by sample value, 256 a channel. */
  readonly levels: Uint8Array
}

/** Coarsens row `y` with the errors that reach it, and adds to those of the row `below`. */
const coarsenRow = (
  { pixels: { width, channels, data }, coarse, levels, smooth, kept }: Coarsening,
  y: number,
  errors: Float32Array,
  below: Float32Array,
): void => {
  const end = (y + 1) * width
  for (let at = y * width, sample = at * channels, place = CHANNELS; at < end; at += 1, place += CHANNELS) {
    const next = sample + channels
    const alpha = channels === 4 ? data[next - 1]! : 255
    if (alpha === 0) sample = next
    // Opaque pixels keep their alpha.
    const last = alpha < 255 ? next : sample + 3
    if (kept[at] === 1) for (; sample < last; sample += 1) coarse[sample] = data[sample]!
    else if (smooth[at] === 0)
      for (let c = 0; sample < last; sample += 1, c += 1) coarse[sample] = levels[(c << 8) | data[sample]!]!
    else
      for (let c = 0; sample < last; sample += 1, c += 1) {
        const to = place + c
        const wanted = Math.max(0, Math.min(255, data[sample]! + errors[to]!))
        const level = levels[(c << 8) | Math.round(wanted)]!
        coarse[sample] = level
        const handed = (wanted - level) * DIFFUSED_SHARE
        errors[to + CHANNELS]! += handed * NEIGHBOUR_SHARES.right
        below[to - CHANNELS]! += handed * NEIGHBOUR_SHARES.belowLeft
        below[to]! += handed * NEIGHBOUR_SHARES.below
        below[to + CHANNELS]! += handed * NEIGHBOUR_SHARES.belowRight
      }
    if (sample < next) {
      coarse[sample] = alpha
      sample = next
    }
  }
}

/**
 * The image in fewer levels of each channel, as a raster of its own. Pixels that are wholly transparent become black, and pixels that are
 * wholly opaque or transparent stay so.
 */
export const coarsen = (pixels: Raster, { step, grey, smooth, kept }: Coarseness): Raster => {
  const { width, height, channels, data } = pixels
  const levels = new Uint8Array(CHANNELS << 8)
  for (const [c, ratio] of (grey ? GREY_STEPS : COLOUR_STEPS).entries()) levels.set(levelsOf(step * ratio), c << 8)
  const coarse = new Uint8Array(data.length)
  let errors = new Float32Array((width + 2) * CHANNELS)
  let below = new Float32Array((width + 2) * CHANNELS)
  for (let y = 0; y < height; y += 1) {
    coarsenRow({ pixels, coarse, levels, smooth, kept }, y, errors, below)
    ;[errors, below] = [below, errors]
    below.fill(0)
  }
  return { width, height, channels, data: coarse }
}
