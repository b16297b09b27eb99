import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type FoundFile, isWithin } from './find-files.ts'
import { showName } from './show-name.ts'

/** Two results of one run, or a result and a source, have the same name. Nothing was written. */
export class Collision extends Error {}

const duplicates = (files: readonly FoundFile[]): readonly string[] =>
  [...Map.groupBy(files, ({ relative }) => relative).values()]
    .filter(({ length }) => length > 1)
    .map(
      ([one, other]) =>
        `${showName(one!.path)} and ${showName(other!.path)} would both be written to ${showName(one!.relative)}. Name the folder that holds both, or run once for each with its own --out.`,
    )

const overwritten = async (files: readonly FoundFile[], directory: string): Promise<readonly string[]> => {
  const sources = new Set(await Promise.all(files.map(({ path }) => realpath(path))))
  const problems: string[] = []
  for (const { path, relative } of files) {
    const target = await realpath(resolve(directory, relative)).catch(() => undefined)
    if (target !== undefined && sources.has(target))
      problems.push(`The result of ${showName(path)} would replace a source. Give --in-place, or another --out.`)
  }
  return problems
}

/** Fails with a {@link Collision} before anything is written, when results in `directory` would replace each other or a source. */
export const assertApart = async (files: readonly FoundFile[], directory: string): Promise<void> => {
  const problems = [...duplicates(files), ...(await overwritten(files, directory))]
  if (problems.length > 0) throw new Collision(problems.join('\n'))
}

/** Real path of the nearest existing folder, from a path upwards. */
const existing = async (path: string): Promise<string> =>
  realpath(path).catch(() => (dirname(path) === path ? path : existing(dirname(path))))

/** Whether a result lies in its output directory after links are followed. */
export const staysInside = async (directory: string, output: string): Promise<boolean> => {
  const [root, folder] = await Promise.all([existing(resolve(directory)), existing(dirname(output))])
  return isWithin(root, folder)
}
