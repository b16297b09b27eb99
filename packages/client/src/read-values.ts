/** Parsers for attributes of image components. Each fails with an Error that names the accepted values. */
import { FORMATS, type Format, QUALITIES, type Quality } from './tables.ts'
import { qualityOf } from './variant.ts'

/** Astro's names of qualities. */
const QUALITY_NAMES: ReadonlyMap<string, Quality> = new Map([
  ['mid', 'medium'],
  ['max', 'high'],
])

/** Parses a quality: a preset, a name of Astro, or an encoder's number from 1 to 100. */
export const parseQuality = (quality: string | number): Quality => {
  const text = String(quality)
  const preset = QUALITIES.find((each) => each === text) ?? QUALITY_NAMES.get(text)
  if (preset !== undefined) return preset
  const number = Number(text)
  if (!(number >= 1 && number <= 100))
    throw new Error(`quality="${quality}" is wrong: expected ${QUALITIES.join(', ')}, or a number from 1 to 100.`)
  return qualityOf(number)
}

/** Parses the name of a format; `jpg` is an alias of `jpeg`. */
export const parseFormat = (format: string): Format => {
  const name = format === 'jpg' ? 'jpeg' : format
  const known = FORMATS.find((each) => each === name)
  if (known === undefined) throw new Error(`format="${format}" is wrong: expected ${FORMATS.join(', ')}.`)
  return known
}

/** Parses a colour: 3 or 6 hex digits with or without `#`, or `transparent`. */
export const parseBackground = (background: string): string => {
  const colour = background.replace(/^#/, '')
  if (!/^([0-9a-f]{3}|[0-9a-f]{6}|transparent)$/i.test(colour))
    throw new Error(`background="${background}" is wrong: expected #rgb or #rrggbb.`)
  return colour
}
