import { DEFAULT_TIMEOUT, type OptionLimits } from '../options.ts'
import { because, type OptionRow, type Reading, read, wrong } from '../row.ts'

const SECONDS = 'a number of seconds above 0, as in timeout=10'
const UNITS_IN_SECONDS: Readonly<Record<string, number>> = { '': 1, ms: 0.001, min: 60, m: 60 }

const readTimeout = (number: string, unit: string, limits: OptionLimits): Reading => {
  const requested = Number(number) * (UNITS_IN_SECONDS[unit] ?? 1)
  if (!(requested > 0)) return wrong(SECONDS)
  // Rounded to milliseconds, so that it prints as it is read.
  const seconds = Math.max(1, Math.round(Math.min(requested, limits.maxTimeout) * 1000)) / 1000
  return read(
    { kind: 'timeout', seconds },
    because(
      unit !== '' && 'a timeout is seconds, without a unit',
      /e/.test(number) && 'a timeout is a plain decimal',
      requested > limits.maxTimeout && `a timeout is at most ${limits.maxTimeout} here`,
    ),
  )
}

export const timeoutRow: OptionRow = {
  name: 'timeout=<seconds>',
  form: 'decimal > 0',
  default: `\`${DEFAULT_TIMEOUT}\``,
  help: 'Most time the service may spend optimising, counted from when the source is in hand, queueing included.',
  key: { name: 'timeout', expected: SECONDS },
  patterns: [
    {
      match: /^timeout=((?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)(ms|s|sec|secs|second|seconds|m|min)?$/,
      read: ([, number = '', unit = ''], limits) => readTimeout(number, unit, limits),
    },
  ],
  words: { timeout: 'timeout=10' },
  samples: ['full,timeout=10', 'full,timeout=0.5', '300x200,timeout=2.5'],
  slightlyWrong: [
    {
      send: 'full,timeout=10s',
      read: 'full,timeout=10',
      warnings: ['timeout=10s was read as timeout=10: a timeout is seconds, without a unit.'],
    },
    {
      send: 'full,timeout=500ms',
      read: 'full,timeout=0.5',
      warnings: ['timeout=500ms was read as timeout=0.5: a timeout is seconds, without a unit.'],
    },
    {
      send: 'full,timeout=60',
      read: 'full',
      warnings: ['timeout=60 was read as timeout=30: a timeout is at most 30 here.'],
    },
    {
      send: 'full,timeout=1e9',
      read: 'full',
      warnings: ['timeout=1e9 was read as timeout=30: a timeout is a plain decimal; a timeout is at most 30 here.'],
    },
    {
      send: 'full,timeout=1m',
      read: 'full',
      warnings: [
        'timeout=1m was read as timeout=30: a timeout is seconds, without a unit; a timeout is at most 30 here.',
      ],
    },
    {
      send: 'full,timeout=5,timeout=10',
      read: 'full,timeout=10',
      warnings: ['timeout=10 and timeout=5 contradict each other: timeout=10 was used.'],
    },
  ],
  wrong: [
    { send: 'full,timeout=0', text: '"timeout=0" is wrong: expected a number of seconds above 0, as in timeout=10.' },
    { send: 'full,timeout=-5', text: '"timeout=-5" is wrong: expected a number of seconds above 0, as in timeout=10.' },
    {
      send: 'full,timeout=soon',
      text: '"timeout=soon" is wrong: expected a number of seconds above 0, as in timeout=10.',
    },
    { send: 'full,timeot=5', text: '"timeot=5" is not an option. Did you mean "timeout=5"?' },
  ],
}
