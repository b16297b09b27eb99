import { glob, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, matchesGlob, relative, sep } from 'node:path'
import { exists } from '../../support/exists.ts'

/** A file to optimise, with its path below the named folder. */
export interface FoundFile {
  readonly path: string
  /** Path of the result below the output directory, with the source's extension. */
  readonly relative: string
  /** Another file differs only in its extension. If the result has another one, its name must include the source's too. */
  readonly isAmbiguous: boolean
}

/** Found files, and a sentence about each path that could not be read. */
export interface FoundFiles {
  readonly files: readonly FoundFile[]
  readonly problems: readonly { readonly path: string; readonly text: string }[]
}

/** Extensions of files that are taken from folders. Named files may have any name. */
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

const LINK_LEADS_OUT = 'this link leads out of the folder. Name the folder that it leads to, to work on that too'

/** Whether a real path is a folder or below it. */
export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)

/** Whether a path is excluded. A pattern without a slash matches each name of the path, as in .gitignore; one with a slash the whole path. */
const isExcluded = (path: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const bare = pattern.replace(/\/$/, '')
    return bare.includes('/') ? matchesGlob(path, bare) : path.split(sep).some((name) => matchesGlob(name, bare))
  })

type Found = Omit<FoundFile, 'isAmbiguous'>

/** Walks through folders. A file found more than once, or through links upwards, counts once. */
const openWalk = ({
  except,
  exclude,
}: {
  readonly except: string | undefined
  readonly exclude: readonly string[]
}) => {
  /** By real paths. */
  const files = new Map<string, Found>()
  const seen = new Set<string>()
  const problems: { path: string; text: string }[] = []

  const leadsOut = (path: string): void => {
    if (!problems.some((problem) => problem.path === path)) problems.push({ path, text: LINK_LEADS_OUT })
  }
  const take = async (path: string, root: string): Promise<void> => {
    const real = await realpath(path)
    if (!isWithin(await realpath(root), await realpath(dirname(path)))) return leadsOut(dirname(path))
    if (!files.has(real)) files.set(real, { path, relative: relative(root, path) || basename(path) })
  }
  const walk = async (folder: string, root: string): Promise<void> => {
    const real = await realpath(folder)
    if (seen.has(real) || real === except) return
    if (!isWithin(await realpath(root), real)) return leadsOut(folder)
    seen.add(real)
    const names = (await readdir(folder)).toSorted((a, b) => (a < b ? -1 : 1))
    for (const name of names) await visit(join(folder, name), root, name)
  }
  /** Adds a file, or all files of a folder. A file that was not named itself (`name`) must have an image's extension. */
  const visit = async (path: string, root: string, name?: string): Promise<void> => {
    try {
      if (name !== undefined && isExcluded(relative(root, path), exclude)) return
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

/** Visits a named file or folder. A missing one is a problem. */
const visitNamed = async (input: string, { visit }: Walk): Promise<void> => {
  const facts = await stat(input).catch(() => undefined)
  await visit(input, facts?.isDirectory() ? input : dirname(input))
}

/** Visits the matches of a pattern. Results are placed relative to the folder before its first special character. */
const visitGlob = async (input: string, { files, problems, visit }: Walk): Promise<void> => {
  const root = input.slice(0, input.search(MAGIC)).split(sep).slice(0, -1).join(sep) || '.'
  const before = files.size
  for await (const path of glob(input)) await visit(path, root, basename(path))
  if (files.size === before) problems.push({ path: input, text: 'no image has such a name' })
}

/**
 * Finds the files that files, folders and globs name, each once, in the order of their names. Leaves out the folder `except`, which gets
 * the results, and paths that match a glob of `exclude`.
 */
export const findFiles = async (
  inputs: readonly string[],
  { except, exclude = [] }: { readonly except?: string | undefined; readonly exclude?: readonly string[] } = {},
): Promise<FoundFiles> => {
  const real = except === undefined ? undefined : await realpath(except).catch(() => undefined)
  const walk = openWalk({ except: real, exclude })
  for (const input of inputs) {
    const isGlob = MAGIC.test(input) && !(await exists(input))
    await (isGlob ? visitGlob : visitNamed)(input, walk)
  }
  const { files, problems } = walk
  if (files.size === 0 && problems.length === 0)
    problems.push({ path: inputs.join(' '), text: 'there is no image in it' })
  return { files: markAmbiguous([...files.values()]), problems }
}

/**
 * A changed file of a watched folder, as a run over the folder finds it. None when it has gone again, is excluded, or lies behind a link
 * that leads out of the folder.
 */
export const findChanged = async (
  folder: string,
  path: string,
  exclude: readonly string[],
): Promise<readonly FoundFile[]> => {
  const { files, visit } = openWalk({ except: undefined, exclude })
  await visit(path, folder, basename(path))
  return markAmbiguous([...files.values()])
}
