import { glob, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'

/** A file to optimise, and where it lies below what was named. */
export interface FoundFile {
  readonly path: string
  /** Path of the result below the output directory, with the source's extension. */
  readonly relative: string
  /** Another file differs in its extension alone: where that changes, the name must keep the old one as well. */
  readonly isAmbiguous: boolean
}

/** Files that were found, and a sentence about everything that could not be looked at. */
export interface FoundFiles {
  readonly files: readonly FoundFile[]
  readonly problems: readonly { readonly path: string; readonly text: string }[]
}

/** Files in folders are taken by these extensions; files that are named are taken whatever they are called. */
export const SOURCE_EXTENSION = /\.(?:jpe?g|jpe|jfif|png|apng|gif|webp|avif|hei[cf]|jxl|tiff?|bmp|ico|ps[db]|svgz?)$/i
const MAGIC = /[*?[\]{}]/

const sayCode = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'there is nothing of this name',
    EACCES: 'it may not be read',
    EPERM: 'it may not be read',
    ELOOP: 'its symbolic links lead in a circle',
    ENAMETOOLONG: 'its name is too long',
  }
  return known[code ?? ''] ?? `it cannot be read (${code ?? String(error)})`
}

const stemOf = (path: string): string => path.replace(/\.[^./]*$/, '')

const markAmbiguous = (files: readonly Omit<FoundFile, 'isAmbiguous'>[]): readonly FoundFile[] => {
  const stems = files.map((file) => stemOf(file.relative))
  const counts = Map.groupBy(stems, (stem) => stem)
  return files.map((file, at) => ({ ...file, isAmbiguous: counts.get(stems[at]!)!.length > 1 }))
}

type Found = Omit<FoundFile, 'isAmbiguous'>

/** Walks through folders; what is found by more than one way, or by links that lead back up, counts once. */
const openWalk = (except: string | undefined) => {
  /** By real paths. */
  const files = new Map<string, Found>()
  const seen = new Set<string>()
  const problems: { path: string; text: string }[] = []

  const take = async (path: string, root: string): Promise<void> => {
    const real = await realpath(path)
    if (!files.has(real)) files.set(real, { path, relative: relative(root, path) || basename(path) })
  }
  const walk = async (folder: string, root: string): Promise<void> => {
    const real = await realpath(folder)
    if (seen.has(real) || real === except) return
    seen.add(real)
    const names = (await readdir(folder)).toSorted((a, b) => (a < b ? -1 : 1))
    for (const name of names) await visit(join(folder, name), root, name)
  }
  /** Takes a file, or all of a folder; one that was not named itself (`name`) only where it may be an image. */
  const visit = async (path: string, root: string, name?: string): Promise<void> => {
    try {
      const stats = await stat(path)
      if (stats.isDirectory()) await walk(path, root)
      else if (stats.isFile() && (name === undefined || SOURCE_EXTENSION.test(name))) await take(path, root)
    } catch (error) {
      problems.push({ path, text: sayCode(error) })
    }
  }
  return { files, problems, visit }
}

type Walk = ReturnType<typeof openWalk>

/** A file or a folder by its own name; one that is not there is a problem. */
const visitNamed = async (input: string, { visit }: Walk): Promise<void> => {
  const facts = await stat(input).catch(() => undefined)
  await visit(input, facts?.isDirectory() ? input : dirname(input))
}

/** What a pattern fits; where results lie is counted from what stands before its first special character. */
const visitGlob = async (input: string, { files, problems, visit }: Walk): Promise<void> => {
  const root = input.slice(0, input.search(MAGIC)).split(sep).slice(0, -1).join(sep) || '.'
  const before = files.size
  for await (const path of glob(input)) await visit(path, root, basename(path))
  if (files.size === before) problems.push({ path: input, text: 'no image has such a name' })
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/**
 * Finds what is named by files, folders and globs, each file once, in the order of their names. The folder `except`, where
 * results go, is left out.
 */
export const findFiles = async (inputs: readonly string[], except?: string): Promise<FoundFiles> => {
  const walk = openWalk(except === undefined ? undefined : await realpath(except).catch(() => undefined))
  for (const input of inputs) {
    const isGlob = MAGIC.test(input) && !(await isThere(input))
    await (isGlob ? visitGlob : visitNamed)(input, walk)
  }
  const { files, problems } = walk
  if (files.size === 0 && problems.length === 0)
    problems.push({ path: inputs.join(' '), text: 'there is no image in it' })
  return { files: markAmbiguous([...files.values()]), problems }
}
