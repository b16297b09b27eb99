import type { SourceFacts } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import type { FormatChoice } from './choose-formats.ts'
import type { Plan } from './plan.ts'

/** Formats in which the colours of a still image can be told to be Display P3. */
const HOLDING: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp', 'avif'])

/** Whether colours of a source may be wider than sRGB. Ink and grey have profiles too, but nothing that P3 would show better. */
const mayBeWide = ({ profile, jpeg }: SourceFacts): boolean =>
  profile === 'other' && (jpeg === undefined || jpeg.components === 3)

/** The colours of the result: wider than sRGB only where that was asked for, the source may have them, and its format can tell so. */
export const settleGamut = (
  { gamut }: Pick<Options, 'gamut'>,
  facts: SourceFacts,
  { formats, animated }: Pick<FormatChoice, 'formats' | 'animated'>,
): Pick<Plan, 'gamut' | 'warnings'> => {
  if (gamut === 'srgb' || !mayBeWide(facts)) return { warnings: [] }
  if (!animated && formats.every((format) => HOLDING.has(format))) return { gamut, warnings: [] }
  const what = animated ? 'an animation' : formats.join(' or ')
  return { warnings: [`gamut=p3 is not possible in ${what}; sRGB is used.`] }
}
