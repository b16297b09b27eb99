import { fileURLToPath } from 'node:url'
import type { Deadline } from '../../core/deadline.ts'
import { makeExecutable } from '../make-executable.ts'
import { runProgram } from '../run-program.ts'

/** How gifsicle is to store a GIF. */
export interface GifsicleSettings {
  /** Its measure of allowed error: 0 is none. Meaning as of 1.96. */
  readonly lossy: number
  /** Half the time, for hardly any more bytes (none to half a percent, measured): for tries of a search. */
  readonly fast?: boolean
}

/** 11 of 943 malformed files made it run past 10 s: it is not waited for longer. */
const KILL_AFTER_MS = 15_000

/** Frames that repeat the one before are kept: who counts frames finds as many as before. */
const COMMON = [
  ...['-Okeep-empty', '--gamma=1', '--no-interlace'],
  ...['--no-warnings', '--no-comments', '--no-names', '--no-extensions'],
]

let found: Promise<string | undefined> | undefined

/** The package holds one executable a platform and names it so. */
const nameHere = (): string =>
  `vendor/${process.platform}/gifsicle_${process.arch}${process.platform === 'win32' ? '.exe' : ''}`

const locate = async (): Promise<string | undefined> => {
  try {
    const path = fileURLToPath(new URL(nameHere(), import.meta.resolve('@343dev/gifsicle')))
    return (await makeExecutable(path)) ? path : undefined
  } catch {
    return undefined
  }
}

/** Path of the gifsicle program, a GPL executable that npm installs as an optional package; undefined without it. */
export const gifsiclePath = (): Promise<string | undefined> => {
  found ??= locate()
  return found
}

/** Recompresses a GIF file. Returns false when gifsicle is missing, failed or was killed. libvips must have accepted the input. */
export const storeGif = async (
  from: string,
  to: string,
  storing: GifsicleSettings,
  deadline: Deadline,
): Promise<boolean> => {
  const command = await gifsiclePath()
  if (command === undefined) return false
  const args = [storing.fast === true ? '-O2' : '-O3', ...COMMON]
  if (storing.lossy > 0) args.push(`--lossy=${storing.lossy}`)
  const { kind } = await runProgram({ command, args: [...args, from, '-o', to], killAfter: KILL_AFTER_MS }, deadline)
  return kind === 'done'
}
