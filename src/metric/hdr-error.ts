/** How far two gain maps are apart on a bright display, in code values of PQ (SMPTE ST 2084) at 10 bits, about a just noticeable difference each. */
import { NITS, toPq } from '../core/hdr.ts'
import type { AnyRaster } from '../core/image.ts'

/** Of one channel: see ISO 21496-1, section 5. */
export interface GainRule {
  readonly min: number
  readonly max: number
  readonly gamma: number
  readonly baseOffset: number
  readonly alternateOffset: number
}

/** The code value of a luminance in cd/m². */
export const toPqCode = (nits: number): number => 1023 * toPq(nits)

/** Linear light of sRGB's 256 levels (IEC 61966-2-1). */
const LINEAR = Float64Array.from({ length: 256 }, (_, level) => {
  const value = level / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
})

/** The code value of a base sample with a map's sample applied in full. */
const applied = (base: number, sample: number, rule: GainRule): number => {
  const gain = rule.min + (rule.max - rule.min) * (sample / 255) ** (1 / rule.gamma)
  return toPqCode(NITS.white * ((LINEAR[base]! + rule.baseOffset) * 2 ** gain - rule.alternateOffset))
}

/** Root mean square of the differences, over all pixels and channels of `base`, which has the size of both maps and three channels. */
export const hdrError = (
  base: AnyRaster,
  { map, other, rules }: { readonly map: AnyRaster; readonly other: AnyRaster; readonly rules: readonly GainRule[] },
): number => {
  let sum = 0
  for (let pixel = 0; pixel < map.width * map.height; pixel++)
    for (let c = 0; c < 3; c++) {
      const at = pixel * map.channels + Math.min(c, map.channels - 1)
      if (map.data[at] === other.data[at]) continue
      const rule = rules[Math.min(c, rules.length - 1)]!
      const sample = base.data[pixel * base.channels + c]!
      sum += (applied(sample, map.data[at]!, rule) - applied(sample, other.data[at]!, rule)) ** 2
    }
  return Math.sqrt(sum / (map.width * map.height * 3))
}
