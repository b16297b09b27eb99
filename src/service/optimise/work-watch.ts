import { RARE_CHECK_MS } from '../../core/intervals.ts'
import type { Progress } from '../../core/outcome.ts'
import type { Log, LogFields, Metrics } from '../../ports/telemetry.ts'

/** Running work. Dispose of it when the work ends. */
export interface Watched extends Disposable {
  readonly advance: (progress: Progress) => void
}

/** Watches the progress of running work. */
export interface WorkWatch {
  /** Registers work. `fields` identify it in the log. */
  readonly begin: (fields: LogFields) => Watched
  /** The progress of all running work, summed by phase. */
  readonly phases: () => readonly Progress[]
}

/** Steps since the last report. A phase that starts again, such as another encode, counts from 0. */
const stepsSince = (last: Progress | undefined, { phase, done }: Progress): number =>
  last?.phase === phase && last.done <= done ? done - last.done : done

/** Reports the progress of long work: log lines every few seconds, and steps in the metrics. */
export const openWorkWatch = (
  log: Pick<Log, 'info'>,
  metrics: Pick<Metrics, 'advanced'>,
  everyMs: number = RARE_CHECK_MS,
): WorkWatch => {
  const running = new Map<symbol, Progress>()
  const begin: WorkWatch['begin'] = (fields) => {
    const key = Symbol('work')
    const since = performance.now()
    const logProgress = (): void =>
      log.info(
        { ...fields, ...running.get(key), seconds: Math.round((performance.now() - since) / 100) / 10 },
        'at work',
      )
    const timer = setInterval(logProgress, everyMs).unref()
    return {
      advance: (progress) => {
        metrics.advanced(progress.phase, stepsSince(running.get(key), progress))
        running.set(key, progress)
      },
      [Symbol.dispose]: () => {
        clearInterval(timer)
        running.delete(key)
      },
    }
  }
  const phases: WorkWatch['phases'] = () => {
    const sums = new Map<string, Progress>()
    for (const { phase, done, of } of running.values()) {
      const sum = sums.get(phase) ?? { phase, done: 0, of: 0 }
      sums.set(phase, { phase, done: sum.done + done, of: sum.of + of })
    }
    return [...sums.values()]
  }
  return { begin, phases }
}
