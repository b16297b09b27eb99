import type { Ssimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { measure, type OurRow, ourRow } from './measure.ts'

const PRESETS = ['low', 'medium', 'high'] as const

/** IJG quality from which a JPEG source is a good one: its own score is 10 above what `medium` asks for (plan/source-score). */
const GOOD_JPEG = 85

/** One photograph at every preset. */
export interface PresetRow {
  readonly file: string
  /** Scores and bytes must grow strictly; elsewhere they must not fall. */
  readonly strict: boolean
  readonly presets: readonly OurRow[]
  readonly fine: boolean
}

const grows = (numbers: readonly number[], strict: boolean): boolean =>
  numbers.every((number, at) => at === 0 || number > numbers[at - 1]! || (!strict && number === numbers[at - 1]))

/** Asks for low, medium and high of one photograph, format left open. A smaller score may not come with a higher preset. */
export const measurePresets = async (metric: Ssimulacra2, path: string): Promise<PresetRow> => {
  const presets: OurRow[] = []
  let file = path
  let strict = true
  for (const preset of PRESETS) {
    using measured = await measure(metric, path, `quality=${preset},full`)
    const { jpeg } = measured.asked.facts
    file = measured.file
    strict &&= jpeg === undefined || jpeg.quality >= GOOD_JPEG
    presets.push(ourRow(measured))
  }
  const fine = [presets.map(({ score }) => score), presets.map(({ bytes }) => bytes)].every((of) => grows(of, strict))
  return { file, strict, presets, fine }
}

export const presetLine = ({ file, strict, presets, fine }: PresetRow): string => {
  const told = presets.map(({ score, bytes, format }) => `${score.toFixed(1)} / ${bytes} ${format}`).join(', ')
  return `${file}: ${told}${strict ? '' : ' (a poor source: must not fall)'}${fine ? '' : ' FALLS'}`
}
