import type { Progress } from '../../core/outcome.ts'
import type { Log, LogFields, Metrics } from '../../ports/telemetry.ts'

/** One piece of work that is watched until it is disposed of. */
export interface Watched extends Disposable {
  readonly advance: (progress: Progress) => void
}

export interface WorkWatch {
  /** Work that begins; `fields` name it in the log. */
  readonly begin: (fields: LogFields) => Watched
  /** How far all work under way has got, summed up by phase. */
  readonly phases: () => readonly Progress[]
}

/** Ms between two lines in the log about the same work. */
const LOG_EVERY_MS = 5000

/** Steps since the last message. A phase that begins again, such as another encode, begins at 0. */
const stepsSince = (last: Progress | undefined, { phase, done }: Progress): number =>
  last?.phase === phase && last.done <= done ? done - last.done : done

/** Shows what long work does: lines in the log every few seconds, steps in the metrics. */
export const openWorkWatch = (
  log: Pick<Log, 'info'>,
  metrics: Pick<Metrics, 'advanced'>,
  everyMs: number = LOG_EVERY_MS,
): WorkWatch => {
  const underWay = new Map<symbol, Progress>()
  const begin: WorkWatch['begin'] = (fields) => {
    const key = Symbol('work')
    const since = performance.now()
    const tell = (): void =>
      log.info(
        { ...fields, ...underWay.get(key), seconds: Math.round((performance.now() - since) / 100) / 10 },
        'at work',
      )
    const timer = setInterval(tell, everyMs).unref()
    return {
      advance: (progress) => {
        metrics.advanced(progress.phase, stepsSince(underWay.get(key), progress))
        underWay.set(key, progress)
      },
      [Symbol.dispose]: () => {
        clearInterval(timer)
        underWay.delete(key)
      },
    }
  }
  const phases: WorkWatch['phases'] = () => {
    const sums = new Map<string, Progress>()
    for (const { phase, done, of } of underWay.values()) {
      const sum = sums.get(phase) ?? { phase, done: 0, of: 0 }
      sums.set(phase, { phase, done: sum.done + done, of: sum.of + of })
    }
    return [...sums.values()]
  }
  return { begin, phases }
}
