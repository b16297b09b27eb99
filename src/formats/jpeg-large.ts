import type { Smoothing } from '../jpeg/quantiser/encoder.ts'
import { encodeInStrips, type StripSetting } from '../jpeg/quantiser/strips.ts'
import { FINEST_QUALITY } from '../jpeg/search/strength.ts'
import type { BoundName } from '../plan/promise.ts'
import { MS_PER_MEGAPIXEL } from '../search/budget.ts'
import { clamp } from '../search/curve.ts'
import { bindingConstraint } from '../search/margins.ts'
import type { Candidate, SearchRequest } from './format.ts'
import { type JpegForm, searchOwn } from './jpeg-own.ts'
import type { Prediction, SampledEncoder, SampledFormat } from './sampled-search.ts'

/** Steps of quality that a point of each bound takes at held rates: between encodes of ten photographs of 4 to 10 megapixels (lab/search.md). */
const QUALITY_OF_POINT: Readonly<Record<BoundName, number>> = {
  ssimulacra: 1.2,
  butteraugli3: 3,
  tileColour: 3,
  contour: 5,
}
/** Points up to which finer tables correct a contour, and the quality up to which they cost less than more protection of smooth areas. */
const FINER_TABLES = { points: 3, quality: 75 } as const

/** The next level of protection for smooth areas. */
const MORE: Readonly<Record<Smoothing, Smoothing>> = { 0: 1, 1: 2, 2: 3, 3: 3 }

const adjust: SampledEncoder<StripSetting>['adjust'] = ({ setting, subsampling }, points, { margins }) => {
  const { dcOffsets: _, ...others } = setting
  const { bound } = bindingConstraint(margins)!
  const isCheaper = points <= FINER_TABLES.points && setting.quality <= FINER_TABLES.quality
  if (points > 0 && bound === 'contour' && !isCheaper && setting.smooth !== 3)
    return { setting: { ...others, smooth: MORE[setting.smooth ?? 0] }, subsampling }
  // Lowered by the least: other bounds fall too.
  const quality = clamp(
    setting.quality + points * QUALITY_OF_POINT[points > 0 ? bound : 'ssimulacra'],
    0,
    FINEST_QUALITY,
  )
  return { setting: { ...setting, quality }, subsampling }
}

/**
 * Our own encoder for images that are too large to be searched themselves: tables, lambda, rates and subsampling are those of a sample, and
 * the whole is encoded in strips. `quick`: another encoder's file, and the same once it is measured.
 */
export const largeJpeg = (
  form: JpegForm,
  { pixels }: SearchRequest,
  quick: () => AsyncGenerator<Candidate>,
): SampledFormat<StripSetting> => ({
  format: form.format,
  msPerMegapixel: MS_PER_MEGAPIXEL['jpeg-strips'],
  quick,
  open: (sample) => ({
    predict: () => predictOn(form, sample),
    adjust,
    encode: async (setting) => {
      const { bytes, shown } = encodeInStrips(pixels, setting, { form: form.coefficients })
      return { bytes, shown: form.coefficients === undefined ? async () => shown() : () => form.pixelsOf(bytes) }
    },
  }),
})

const predictOn = async (form: JpegForm, sample: SearchRequest): Promise<Prediction<StripSetting> | undefined> => {
  let best: Prediction<StripSetting> | undefined
  for await (const { found } of searchOwn(form, sample, sample.deadline))
    best = { setting: { setting: found.setting, subsampling: found.subsampling }, keeps: found.reached }
  return best
}
