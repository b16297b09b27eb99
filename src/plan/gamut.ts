import type { SourceFacts } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import type { FormatChoice } from './choose-formats.ts'
import type { Plan } from './plan.ts'

/** Formats that can label a still image as Display P3. */
const P3_FORMATS: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp', 'avif', 'jxl'])

/** Whether a source may have colours outside of sRGB. CMYK and grey profiles gain nothing from P3. */
const mayBeWide = ({ profile, jpeg }: SourceFacts): boolean =>
  profile === 'other' && (jpeg === undefined || jpeg.components === 3)

/** The gamut of the result. Wider than sRGB only if requested, if the source may have it, and if the format can label it. */
export const settleGamut = (
  { gamut }: Pick<Options, 'gamut'>,
  facts: SourceFacts,
  { formats, animated }: Pick<FormatChoice, 'formats' | 'animated'>,
): Pick<Plan, 'gamut' | 'warnings'> => {
  if (gamut === 'srgb' || !mayBeWide(facts)) return { warnings: [] }
  if (!animated && formats.every((format) => P3_FORMATS.has(format))) return { gamut, warnings: [] }
  const what = animated ? 'an animation' : formats.join(' or ')
  return { warnings: [`gamut=p3 is not possible in ${what}; sRGB is used.`] }
}
