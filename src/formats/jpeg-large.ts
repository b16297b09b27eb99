import type { Smoothing } from '../jpeg/quantiser/encoder.ts'
import { encodeInStrips, type StripSetting } from '../jpeg/quantiser/strips.ts'
import { FINEST_QUALITY } from '../jpeg/search/strength.ts'
import { MS_PER_MEGAPIXEL } from '../search/budget.ts'
import { clamp } from '../search/curve.ts'
import type { Candidate, SearchRequest } from './format.ts'
import { type JpegForm, searchOwn } from './jpeg-own.ts'
import type { Prediction, SampledEncoder, SampledFormat } from './sampled-search.ts'

/** Steps of quality that a point of score takes at held rates. */
const QUALITY_OF_POINT = 1.7
/** Points up to which finer tables correct a contour; beyond, smooth areas get more protection. */
const FINER_TABLES = 3

/** The next level of protection for smooth areas. */
const MORE: Readonly<Record<Smoothing, Smoothing>> = { 0: 1, 1: 2, 2: 3, 3: 3 }

const adjust: SampledEncoder<StripSetting>['adjust'] = ({ setting, subsampling }, points, { broken }) => {
  const { dcOffsets: _, ...others } = setting
  if (broken.includes('contour') && points > FINER_TABLES && setting.smooth !== 3)
    return { setting: { ...others, smooth: MORE[setting.smooth ?? 0] }, subsampling }
  const quality = clamp(setting.quality + points * QUALITY_OF_POINT, 0, FINEST_QUALITY)
  return { setting: { ...setting, quality }, subsampling }
}

/**
 * Our own encoder for images that are too large to be searched themselves: tables, lambda, rates and subsampling are those of a sample, and
 * the whole is encoded in strips. `quick`: another encoder's file.
 */
export const largeJpeg = (
  form: JpegForm,
  { pixels }: SearchRequest,
  quick: () => Promise<Candidate>,
): SampledFormat<StripSetting> => ({
  format: form.format,
  msPerMegapixel: MS_PER_MEGAPIXEL['jpeg-strips'],
  quick,
  searchesArtefacts: true,
  pixelsOf: form.pixelsOf,
  open: (sample) => ({
    predict: () => predictOn(form, sample),
    adjust,
    encode: async (setting) => encodeInStrips(pixels, setting, { form: form.coefficients }),
  }),
})

const predictOn = async (form: JpegForm, sample: SearchRequest): Promise<Prediction<StripSetting> | undefined> => {
  let best: Prediction<StripSetting> | undefined
  for await (const { found } of searchOwn(form, sample, sample.deadline))
    best = { setting: { setting: found.setting, subsampling: found.subsampling }, keeps: found.reached }
  return best
}
