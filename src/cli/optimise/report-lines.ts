import type { OutputFormat } from '../../core/image.ts'
import { extensionFits } from './goals.ts'
import type { FileOutcome } from './one-file.ts'
import { showName } from './show-name.ts'

/** Sums over all files. */
export interface Totals {
  readonly files: number
  readonly failed: number
  /** Files of an earlier run, and files without a smaller result. */
  readonly unchanged: number
  readonly sourceBytes: number
  readonly bytes: number
}

export const NO_TOTALS: Totals = { files: 0, failed: 0, unchanged: 0, sourceBytes: 0, bytes: 0 }

/** Adds one outcome. */
export const addOutcome = (totals: Totals, outcome: FileOutcome): Totals =>
  outcome.kind === 'failed'
    ? { ...totals, files: totals.files + 1, failed: totals.failed + 1 }
    : {
        ...totals,
        files: totals.files + 1,
        unchanged: totals.unchanged + (outcome.kind === 'kept' || outcome.kind === 'known' ? 1 : 0),
        sourceBytes: totals.sourceBytes + outcome.sourceBytes,
        bytes: totals.bytes + outcome.bytes,
      }

const bytes = (count: number): string => count.toLocaleString('en-US')

/** `-87.3 %`. */
export const sayPercent = (before: number, after: number): string => {
  const percent = before === 0 ? 0 : (after / before - 1) * 100
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`
}

const sayScores = ({ score, butteraugli }: Exclude<FileOutcome, { kind: 'failed' }>): string =>
  [
    ...(score === undefined ? [] : [`SSIMULACRA ${score.toFixed(1)}`]),
    ...(butteraugli === undefined ? [] : [`Butteraugli ${butteraugli.toFixed(2)}`]),
  ].join(', ')

/** Names the format of a result that is not written, where the name of its source does not show it. */
const sayFormat = ({ path, output, format }: Exclude<FileOutcome, { kind: 'failed' }>): string =>
  output !== undefined || extensionFits(path, format as OutputFormat) ? '' : ` as ${format.toUpperCase()}`

const NOTES = { written: '', smaller: '', kept: 'nothing smaller', known: 'done before' } as const

/** A line about an outcome, and one for each warning. */
export const sayOutcome = (outcome: FileOutcome): string => {
  if (outcome.kind === 'failed') return `${showName(outcome.path)}: ${outcome.text}`
  const { path, output, sourceBytes, warnings } = outcome
  const name = output === undefined || output === path ? showName(path) : `${showName(path)} -> ${showName(output)}`
  const facts = [
    `${bytes(sourceBytes)} -> ${bytes(outcome.bytes)} bytes${sayFormat(outcome)} (${sayPercent(sourceBytes, outcome.bytes)})`,
    sayScores(outcome),
    NOTES[outcome.kind],
  ].filter((fact) => fact !== '')
  return [`${name}: ${facts.join(', ')}`, ...warnings.map((warning) => `  ${warning}`)].join('\n')
}

/** The last line of a run. Files that failed are no results. */
export const sayTotals = ({ files, failed, unchanged, sourceBytes, bytes: after }: Totals): string => {
  const results = files - failed
  return [
    `${results} ${results === 1 ? 'result' : 'results'}: ${bytes(sourceBytes)} -> ${bytes(after)} bytes (${sayPercent(sourceBytes, after)})`,
    ...(unchanged === 0 ? [] : [`${unchanged} already optimised`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ')
}
