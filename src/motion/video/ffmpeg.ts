import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deadlineIn } from '../../core/deadline.ts'
import { ANSWER_MS } from '../../core/intervals.ts'
import { makeExecutable } from '../make-executable.ts'
import { runProgram } from '../run-program.ts'

/** An ffmpeg program and what it can encode. */
export interface Ffmpeg {
  readonly path: string
  /** As ffmpeg prints it, such as `5.1.9-0+deb12u1`. */
  readonly version: string
  /** Names of its video encoders, such as `libx264`. */
  readonly encoders: ReadonlySet<string>
  readonly muxers: ReadonlySet<string>
  readonly bitstreamFilters: ReadonlySet<string>
}

/** What a program prints. Empty when it fails. */
const printedBy = async (path: string, ...args: readonly string[]): Promise<string> => {
  const ended = await runProgram({ command: path, args: [...args] }, deadlineIn(ANSWER_MS))
  return ended.kind === 'done' ? ended.output.toString('utf8') : ''
}

const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Names in one of ffmpeg's lists, each behind a column of flags. */
const listNames = async (path: string, what: '-encoders' | '-muxers'): Promise<ReadonlySet<string>> => {
  const lines = (await printedBy(path, '-hide_banner', what)).split('\n').map(wordsOf)
  const named = lines.filter(([flags, name]) => name !== undefined && /^[A-Z.]{1,6}$/.test(flags!))
  return new Set(named.map(([, name]) => name!))
}

const versionOf = async (path: string): Promise<string> =>
  /^ffmpeg version (\S+)/.exec(await printedBy(path, '-version'))?.[1] ?? 'unknown'

const fromNpm = (): string[] => {
  try {
    const name = `@ffmpeg-installer/${process.platform}-${process.arch}`
    return [
      fileURLToPath(
        new URL(process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg', import.meta.resolve(`${name}/package.json`)),
      ),
    ]
  } catch {
    return []
  }
}

const onPath = (): string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, 'ffmpeg'))

/** Where an ffmpeg may be, best first: what the setting says, what the system has, what npm brought. */
const places = (configured: string | undefined): string[] => [
  ...[configured, process.env['FFMPEG_PATH']].filter((path): path is string => path !== undefined && path !== ''),
  ...onPath(),
  ...fromNpm(),
]

const inspect = async (path: string): Promise<Ffmpeg | undefined> => {
  if (!(await makeExecutable(path))) return undefined
  const [encoders, muxers, filters] = await Promise.all([
    listNames(path, '-encoders'),
    listNames(path, '-muxers'),
    printedBy(path, '-hide_banner', '-bsfs'),
  ])
  if (encoders.size === 0) return undefined
  return { path, version: await versionOf(path), encoders, muxers, bitstreamFilters: new Set(wordsOf(filters)) }
}

const inspected = new Map<string, Promise<Ffmpeg | undefined>>()

const inspectOnce = (path: string): Promise<Ffmpeg | undefined> => {
  const known = inspected.get(path) ?? inspect(path)
  inspected.set(path, known)
  return known
}

/** The first ffmpeg that suits, a program of its own that we never link with; undefined where there is none. */
export const findFfmpeg = async (
  suits: (ffmpeg: Ffmpeg) => boolean,
  configured?: string,
): Promise<Ffmpeg | undefined> => {
  for (const path of places(configured)) {
    const ffmpeg = await inspectOnce(path)
    if (ffmpeg !== undefined && suits(ffmpeg)) return ffmpeg
  }
  return undefined
}

/** Whether an ffmpeg is the one that npm installed, which is years older than any system's. */
export const isFromNpm = ({ path }: Pick<Ffmpeg, 'path'>): boolean => fromNpm().includes(path)
