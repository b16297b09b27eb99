import type { AnyRaster } from '../../src/core/image.ts'

/** Distortions of an original, in integers only: the same samples on every machine and with every library. */
export const DISTORTIONS = ['coarse', 'noise', 'blocks', 'soft', 'tinted'] as const
export type Distortion = (typeof DISTORTIONS)[number]

const clamp = (value: number): number => Math.max(0, Math.min(255, value))

const hasAlpha = ({ channels }: AnyRaster): boolean => channels === 2 || channels === 4

/** Changes every colour sample by a function of its value and place; alpha stays. */
const change = (image: AnyRaster, at: (value: number, x: number, y: number, channel: number) => number): AnyRaster => {
  const { width, channels } = image
  const data = image.data.map((value, i) => {
    const channel = i % channels
    if (hasAlpha(image) && channel === channels - 1) return value
    const pixel = (i - channel) / channels
    return clamp(Math.round(at(value, pixel % width, Math.floor(pixel / width), channel)))
  })
  return { ...image, data }
}

const sampleAt = ({ data, width, height, channels }: AnyRaster, x: number, y: number, channel: number): number =>
  data[(Math.max(0, Math.min(height - 1, y)) * width + Math.max(0, Math.min(width - 1, x))) * channels + channel]!

/** Flat 8 x 8 blocks shine through: a third of each block's top left sample. */
const blocks = (image: AnyRaster): AnyRaster =>
  change(image, (value, x, y, channel) => (2 * value + sampleAt(image, x & ~7, y & ~7, channel)) / 3)

const soft = (image: AnyRaster): AnyRaster =>
  change(
    image,
    (value, x, y, channel) => (2 * value + sampleAt(image, x - 1, y, channel) + sampleAt(image, x, y + 1, channel)) / 4,
  )

const noise = (image: AnyRaster): AnyRaster => {
  let state = 1
  return change(image, (value) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return value + ((state >>> 16) % 25) - 12
  })
}

/** Steps of 24, as a small palette makes them. */
const coarse = (image: AnyRaster): AnyRaster => change(image, (value) => Math.round(value / 24) * 24)

/** The first channel moves in every second square of 32 px. */
const tinted = (image: AnyRaster): AnyRaster =>
  change(image, (value, x, y, channel) => value + (channel === 0 && ((x >> 5) + (y >> 5)) % 2 === 0 ? 14 : 0))

const HOW: Readonly<Record<Distortion, (image: AnyRaster) => AnyRaster>> = { coarse, noise, blocks, soft, tinted }

/** The image after rough treatment. */
export const distort = (image: AnyRaster, distortion: Distortion): AnyRaster => HOW[distortion](image)
