import { HLG, TRANSFER } from '../../core/hdr.ts'
import type { CodePoints, Gamut, Raster } from '../../core/image.ts'
import {
  BT709,
  BT2020,
  betweenPrimaries,
  type ColourMatrix,
  luminanceOf,
  P3,
  type Primaries,
  primariesOf,
} from './primaries.ts'
import type { StoredImage } from './stored.ts'
import { DEFAULT_PEAK, toneMapping } from './tone-map.ts'
import { fromLinear, toLinear } from './transfers.ts'

/** Entries of a table by linear light: 16 bits distinguish all dark codes of 8 bits. */
const STEPS = 65_536
/** 8-bit sRGB by linear light in STEPS. P3 has the same curve. */
const ENCODED = Uint8Array.from({ length: STEPS }, (_, i) => Math.round(fromLinear(i / (STEPS - 1)) * 255))

const encode = (light: number): number =>
  ENCODED[light <= 0 ? 0 : light >= 1 ? STEPS - 1 : Math.round(light * (STEPS - 1))]!

type Pixel = [r: number, g: number, b: number]

const apply = ([a, b, c]: ColourMatrix, pixel: Pixel): void => {
  const [x, y, z] = pixel
  pixel[0] = a[0] * x + a[1] * y + a[2] * z
  pixel[1] = b[0] * x + b[1] * y + b[2] * z
  pixel[2] = c[0] * x + c[1] * y + c[2] * z
}

const scale = (pixel: Pixel, by: number): void => {
  pixel[0] *= by
  pixel[1] *= by
  pixel[2] *= by
}

/** Converts a pixel's linear light to other primaries with sRGB's white. */
const rendering = (codePoints: CodePoints, shown: Primaries): ((pixel: Pixel) => void) => {
  const { transfer, gamma } = codePoints
  const primaries = primariesOf(codePoints)
  const hdr = gamma === undefined && (transfer === TRANSFER.pq || transfer === TRANSFER.hlg)
  if (!hdr) {
    const matrix = betweenPrimaries(primaries, shown)
    return (pixel) => apply(matrix, pixel)
  }
  const [into, out] = [betweenPrimaries(primaries, BT2020), betweenPrimaries(BT2020, shown)]
  const [lr, lg, lb] = luminanceOf(BT2020)
  const gain = toneMapping(DEFAULT_PEAK)
  return (pixel) => {
    apply(into, pixel)
    if (transfer === TRANSFER.hlg) {
      const luminance = lr * pixel[0] + lg * pixel[1] + lb * pixel[2]
      scale(pixel, Math.max(0, luminance) ** HLG.luminanceExponent * DEFAULT_PEAK)
    }
    scale(pixel, gain(Math.max(pixel[0], pixel[1], pixel[2])))
    apply(out, pixel)
  }
}

/** Converts an image with code points to 8-bit sRGB or P3. HDR is tone-mapped as browsers do for a display without headroom. */
export const fromCodePoints = (
  image: Omit<StoredImage, 'colours'>,
  codePoints: CodePoints,
  gamut: Gamut = 'srgb',
): Raster => {
  const { width, height, channels, data } = image
  const levels = data instanceof Uint16Array ? 65_535 : 255
  const curve = toLinear(codePoints)
  const light = Float32Array.from({ length: levels + 1 }, (_, level) => curve(level / levels))
  const render = rendering(codePoints, gamut === 'p3' ? P3 : BT709)
  const out = new Uint8Array(data.length)
  const pixel: Pixel = [0, 0, 0]
  for (let at = 0; at < data.length; at += channels) {
    pixel[0] = light[data[at]!]!
    pixel[1] = light[data[at + 1]!]!
    pixel[2] = light[data[at + 2]!]!
    render(pixel)
    out[at] = encode(pixel[0])
    out[at + 1] = encode(pixel[1])
    out[at + 2] = encode(pixel[2])
    if (channels === 4) out[at + 3] = levels === 255 ? data[at + 3]! : Math.round(data[at + 3]! / 257)
  }
  return { width, height, channels, data: out }
}
