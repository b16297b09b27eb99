import type { OptimiseFlags } from './flags.ts'
import type { FileOutcome } from './one-file.ts'
import type { RunProgress } from './progress.ts'
import { progressLine } from './progress.ts'
import { sayOutcome, sayTotals, type Totals } from './report-lines.ts'
import { showName } from './show-name.ts'

/** Output streams of a run. */
export interface Terminal {
  readonly stdout: { readonly write: (text: string) => unknown }
  readonly stderr: {
    readonly write: (text: string) => unknown
    readonly isTTY?: boolean | undefined
    readonly columns?: number | undefined
  }
}

/** Writes outcomes, progress and totals of a run. */
export interface Reporter {
  readonly outcome: (outcome: FileOutcome) => void
  readonly progress: (progress: RunProgress) => void
  readonly end: (totals: Totals, complaints: number) => void
}

/** Clears the line of the progress bar. */
const CLEAR = '\r\u001b[2K'

/** Whether `--check` reports a file. */
export const couldBeSmaller = (outcome: FileOutcome, { target }: Pick<OptimiseFlags, 'target'>): boolean =>
  target.kind === 'check' &&
  outcome.kind !== 'failed' &&
  (1 - outcome.bytes / outcome.sourceBytes) * 100 >= target.percent

/** Whether an outcome is listed: failures always, files of an earlier run never. `--check` and `--quiet` list only findings of a check. */
const isListed = (outcome: FileOutcome, flags: OptimiseFlags): boolean => {
  if (outcome.kind === 'failed' || couldBeSmaller(outcome, flags)) return true
  return !flags.quiet && outcome.kind !== 'known' && flags.target.kind !== 'check'
}

/** The reason why `--check` fails, and what to do. */
const checkVerdict = ({ target }: Pick<OptimiseFlags, 'target'>, complaints: number): string => {
  if (target.kind !== 'check' || complaints === 0) return ''
  const files = complaints === 1 ? '1 file' : `${complaints} files`
  return `The check fails: ${files} could be at least ${target.percent} % smaller. To make them smaller: whittle optimise --out DIR, or --in-place, which keeps formats.\n`
}

/** A notice about the effect of an in-place run, printed before it starts. Empty when no pixel can change. */
export const lossNotice = ({ target, list, quiet }: Pick<OptimiseFlags, 'target' | 'list' | 'quiet'>): string => {
  if (target.kind !== 'in-place' || quiet) return ''
  const [, quality = 'medium'] = /(?:^|,)quality=(\w+)/.exec(list) ?? []
  if (quality === 'lossless') return ''
  const kept =
    target.backup === undefined
      ? 'Keep the originals with --backup DIR.'
      : `The originals go to ${showName(target.backup)}.`
  return `The files are replaced by lossy results at quality=${quality}. ${kept}\n`
}

const showProgress =
  ({ stderr }: Terminal): Reporter['progress'] =>
  (progress) =>
    void (stderr.isTTY === true && stderr.write(`${CLEAR}${progressLine(progress, stderr.columns ?? 80)}`))

/** Writes a line for each outcome, and the totals. */
export const textReporter = (terminal: Terminal, flags: OptimiseFlags): Reporter => {
  const { stdout, stderr } = terminal
  const clear = (): unknown => stderr.isTTY === true && stderr.write(CLEAR)
  return {
    outcome: (outcome) => {
      if (!isListed(outcome, flags)) return
      clear()
      ;(outcome.kind === 'failed' ? stderr : stdout).write(`${sayOutcome(outcome)}\n`)
    },
    progress: flags.quiet ? () => undefined : showProgress(terminal),
    end: (totals, complaints) => {
      clear()
      if (!flags.quiet) stdout.write(`${sayTotals(totals)}\n`)
      stderr.write(checkVerdict(flags, complaints))
    },
  }
}

/** Writes one JSON document at the end. */
export const jsonReporter = (terminal: Terminal, flags: OptimiseFlags): Reporter => {
  const outcomes: FileOutcome[] = []
  return {
    outcome: (outcome) => void outcomes.push(outcome),
    progress: flags.quiet ? () => undefined : showProgress(terminal),
    end: (totals, complaints) => {
      terminal.stdout.write(`${JSON.stringify({ results: outcomes, totals }, undefined, 2)}\n`)
      terminal.stderr.write(checkVerdict(flags, complaints))
    },
  }
}
