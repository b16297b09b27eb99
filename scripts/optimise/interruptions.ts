import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Run } from './timed.ts'

/** Every file below a directory, by its path there, with the SHA-256 of its content. */
export const digestsBelow = (directory: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(directory, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]),
  )

/** A drawing may be more than can be drawn: it is whole when its last tag is there. All else is whole when it decodes. */
const isWhole = async (path: string): Promise<boolean> => {
  if (path.endsWith('.svg')) return readFileSync(path, 'utf8').trimEnd().endsWith('</svg>')
  return sharp(path, { animated: true, unlimited: true })
    .stats()
    .then(
      () => true,
      () => false,
    )
}

/** Result of an interrupted run. */
export interface Interruption {
  readonly seconds: number
  readonly status: number | null
  /** Files that were replaced in this run. */
  readonly replaced: number
  /** Wrong files: gone, left over, or neither the old nor a whole new one. */
  readonly lost: readonly string[]
}

/** Compares a directory with what it held before a run that was interrupted. */
export const judgeInterruption = async (
  directory: string,
  before: ReadonlyMap<string, string>,
  { seconds, status }: Run,
): Promise<Interruption> => {
  const after = digestsBelow(directory)
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path) => `${path} is gone`)
  const left = [...after.keys()].filter((path) => !before.has(path)).map((path) => `${path} was left over`)
  const replaced = [...after].filter(([path, digest]) => before.has(path) && before.get(path) !== digest)
  const broken: string[] = []
  for (const [path] of replaced) if (!(await isWhole(path))) broken.push(`${path} is not whole`)
  return { seconds, status, replaced: replaced.length, lost: [...gone, ...left, ...broken] }
}
