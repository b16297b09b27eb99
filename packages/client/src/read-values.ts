/** Values of components' attributes, as ours. Each fails with an Error that says what was expected. */
import { FORMATS, type Format, QUALITIES, type Quality } from './tables.ts'
import { qualityOf } from './variant.ts'

/** Astro's own names of qualities, next to ours. */
const QUALITY_NAMES: Readonly<Record<string, Quality>> = { mid: 'medium', max: 'high' }

/** A preset, or a number from 1 to 100 as encoders have it. */
export const qualityIn = (quality: string | number): Quality => {
  const text = String(quality)
  const preset = QUALITIES.find((each) => each === text) ?? QUALITY_NAMES[text]
  if (preset !== undefined) return preset
  const number = Number(text)
  if (!(number >= 1 && number <= 100))
    throw new Error(`quality="${quality}" is wrong: expected ${QUALITIES.join(', ')}, or a number from 1 to 100.`)
  return qualityOf(number)
}

/** A format by its name; `jpg` is JPEG. */
export const formatIn = (format: string): Format => {
  const name = format === 'jpg' ? 'jpeg' : format
  const known = FORMATS.find((each) => each === name)
  if (known === undefined) throw new Error(`format="${format}" is wrong: expected ${FORMATS.join(', ')}.`)
  return known
}

/** A colour of 3 or 6 hex digits, with `#` or without, or `transparent`. */
export const backgroundIn = (background: string): string => {
  const colour = background.replace(/^#/, '')
  if (!/^([0-9a-f]{3}|[0-9a-f]{6}|transparent)$/i.test(colour))
    throw new Error(`background="${background}" is wrong: expected #rgb or #rrggbb.`)
  return colour
}
