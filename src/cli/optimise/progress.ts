import { showName } from './show-name.ts'

/** Progress of a run. */
export interface RunProgress {
  readonly done: number
  readonly of: number
  /** Bytes saved so far. */
  readonly savedBytes: number
  /** ms since the start. */
  readonly elapsedMs: number
  /** The file that was started last. */
  readonly current?: string | undefined
}

/** Characters. */
const BAR = 24

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`

/** A duration, rounded to the precision of an estimate: `40 s`, `3 min`, `2 h`. */
const duration = (ms: number): string => {
  if (ms < 90e3) return `${Math.max(1, Math.round(ms / 1e3))} s`
  return ms < 90 * 60e3 ? `${Math.round(ms / 60e3)} min` : `${Math.round(ms / 36e5)} h`
}

/** The remaining time at the speed so far. */
const remainder = ({ done, of, elapsedMs }: RunProgress): readonly string[] =>
  done === 0 || done === of ? [] : [`${duration((elapsedMs / done) * (of - done))} left`]

const bar = ({ done, of }: RunProgress): string => {
  const full = of === 0 ? BAR : Math.round((done / of) * BAR)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${done}/${of}`
}

/** The end of a name that fits, since names in deep folders differ at their end. */
const shortened = (name: string, width: number): string =>
  name.length <= width ? name : width < 8 ? '' : `...${name.slice(3 - width)}`

/** A progress line within the terminal's width: `[######------] 12/36, 3.1 MB saved, 40 s left, photos/a.png`. */
export const progressLine = (progress: RunProgress, columns: number): string => {
  const { savedBytes, current } = progress
  const facts = [bar(progress), ...(savedBytes > 0 ? [`${megabytes(savedBytes)} saved`] : []), ...remainder(progress)]
  const line = facts.join(', ')
  const name = current === undefined ? '' : shortened(showName(current), columns - line.length - 3)
  return (name === '' ? line : `${line}, ${name}`).slice(0, columns - 1)
}
