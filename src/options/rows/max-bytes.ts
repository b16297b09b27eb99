import { because, type OptionRow, type Reading, read, wrong } from '../row.ts'

const EXPECTED = 'bytes, as in max-bytes=200k (k is 1000, m is a million)'

const FACTORS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['k', 1e3],
  ['m', 1e6],
])
/** Bytes; smaller results do not exist, larger ones are not made. */
const BUDGET = { min: 100, max: 1e9 } as const

const readBudget = (number: string, unit: string): Reading => {
  const short = unit.replace(/i?b$|ytes?$/, '').slice(0, 1)
  const requested = Math.floor(Number(number) * (FACTORS.get(short) ?? 1))
  if (!(requested > 0)) return wrong(EXPECTED)
  const bytes = Math.min(BUDGET.max, Math.max(BUDGET.min, requested))
  return read(
    { kind: 'max-bytes', bytes },
    because(
      short !== unit && 'bytes are written plain, with k or with m',
      bytes > requested && `a budget is at least ${BUDGET.min} bytes`,
      bytes < requested && `a budget is at most ${BUDGET.max / 1e6}m`,
    ),
  )
}

/** `200k`, `2m` or `1234`: the shortest form of a number of bytes. */
export const printBytes = (bytes: number): string => {
  if (bytes % 1e6 === 0) return `${bytes / 1e6}m`
  return bytes % 1e3 === 0 ? `${bytes / 1e3}k` : `${bytes}`
}

export const maxBytesRow: OptionRow = {
  name: 'max-bytes=<bytes>',
  form: 'a number, with `k` or `m` for thousands or millions',
  default: 'no limit',
  help: 'Returns the best quality that fits into this number of bytes, never above the preset. Where `quality=low` does not fit, the size is reduced, to half at most. Where that does not fit either, quality falls below `low` as well, to a score of 30 at half the size. Where not even that fits, the result comes with a Warning that names its bytes. Without `format=` the format is the one of the best quality within the budget.',
  key: { name: 'max-bytes', expected: EXPECTED },
  aliases: ['maxbytes', 'max_bytes', 'maxsize', 'max-size', 'mb'],
  patterns: [
    {
      match: /^max-bytes=(\d{1,12}(?:\.\d{1,6})?)(k|m|b|kb|mb|kib|mib|bytes)?$/,
      read: ([, number = '', unit = '']) => readBudget(number, unit),
    },
  ],
  words: { 'max-bytes': 'max-bytes=200k', bytes: 'max-bytes=200k', budget: 'max-bytes=200k' },
  samples: ['full,max-bytes=200k', '800x600,crop,quality=high,max-bytes=1.5m', 'full,format=webp,max-bytes=20000'],
  slightlyWrong: [
    {
      send: 'full,max-bytes=200kb',
      read: 'full,max-bytes=200k',
      warnings: ['max-bytes=200kb was read as max-bytes=200k: bytes are written plain, with k or with m.'],
    },
    {
      send: 'full,maxbytes=5000',
      read: 'full,max-bytes=5k',
      warnings: ['maxbytes=5000 was read as max-bytes=5k: the option is called max-bytes.'],
    },
    {
      send: 'full,max-bytes=5',
      read: 'full,max-bytes=100',
      warnings: ['max-bytes=5 was read as max-bytes=100: a budget is at least 100 bytes.'],
    },
    {
      send: 'full,max-bytes=1k,max-bytes=2k',
      read: 'full,max-bytes=1k',
      warnings: ['max-bytes=1k and max-bytes=2k contradict each other: max-bytes=1k was used.'],
    },
  ],
  wrong: [
    {
      send: 'full,max-bytes=small',
      text: '"max-bytes=small" is wrong: expected bytes, as in max-bytes=200k (k is 1000, m is a million).',
    },
    {
      send: 'full,max-bytes=0',
      text: '"max-bytes=0" is wrong: expected bytes, as in max-bytes=200k (k is 1000, m is a million).',
    },
  ],
}
