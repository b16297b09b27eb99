import { correctSegment } from './correct.ts'
import { describeOptions, describeSegment } from './describe.ts'

/** Maximum seconds of `timeout=`. Outside of a service there are no settings that say it. */
const LIMITS = { maxTimeout: 30 }

/** The reading of an option list as text. `problem` has the reason for a refusal, and the list that was probably meant. */
export interface ListExplanation {
  readonly text: string
  readonly problem?: string
}

const aligned = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join('')
}

/** Explains each item of an option list, and the effect of the whole list. */
export const explainList = (list: string): ListExplanation => {
  const segment = list.replaceAll('#', '%23')
  const { items, outcome } = describeSegment(segment, LIMITS)
  const reading = `How the options are read:\n${aligned(items.map(({ item, meaning }) => [item === '' ? '(nothing)' : item, meaning]))}`
  if (outcome.kind === 'wrong') {
    const corrected = correctSegment(segment, LIMITS)
    const meant = corrected === undefined ? '' : `\nProbably meant: ${corrected}`
    return { text: reading, problem: `${outcome.failure.message}${meant}` }
  }
  const done = `What will be done:\n${aligned(describeOptions(outcome.options).map(({ name, value }) => [name, value]))}`
  return { text: reading + done + outcome.warnings.map((warning) => `Warning: ${warning}\n`).join('') }
}
