import { fromPq, HLG, NITS, TRANSFER } from '../../core/hdr.ts'
import type { CodePoints } from '../../core/image.ts'

/** Converts a sample of 0..1 to light. 1 is document white (203 cd/m2 for absolute curves). */
export type ToLinear = (sample: number) => number

const power =
  (gamma: number): ToLinear =>
  (sample) =>
    sample ** gamma

const fromSrgb: ToLinear = (sample) => (sample <= 0.04045 ? sample / 12.92 : ((sample + 0.055) / 1.055) ** 2.4)

/** Scene light of HLG: 0..1, before the system gamma. */
const fromHlg: ToLinear = (sample) => {
  const { a, b, c } = HLG
  return sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - c) / a) + b) / 12
}

/** Curves by number of ITU-T H.273. Video curves are those of displays (BT.1886), as in browsers. Other numbers count as sRGB's. */
const TRANSFERS: Readonly<Record<number, ToLinear>> = {
  1: power(2.4),
  4: power(2.2),
  5: power(2.8),
  6: power(2.4),
  [TRANSFER.linear]: power(1),
  14: power(2.4),
  15: power(2.4),
  [TRANSFER.pq]: (sample) => fromPq(sample) / NITS.white,
  [TRANSFER.hlg]: fromHlg,
}

/** The curve for a gamma, or for a transfer number of ITU-T H.273. */
export const toLinear = ({ transfer, gamma }: Pick<CodePoints, 'transfer' | 'gamma'>): ToLinear =>
  gamma === undefined ? (TRANSFERS[transfer] ?? fromSrgb) : power(gamma)

/** Converts light of 0..1 to an sRGB sample of 0..1. */
export const fromLinear = (light: number): number =>
  light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055
