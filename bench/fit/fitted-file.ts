/** Writes a `*.fitted.ts`: its header says by which command, on which day and from which files its numbers were made, and how far off they are. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

export interface Fitted {
  /** Absolute path of the file to write. */
  readonly path: string
  readonly command: string
  /** Absolute paths of the data. */
  readonly files: readonly string[]
  /** One line each: a figure with its unit, before the fit and after it. */
  readonly errors: readonly { readonly what: string; readonly before: string; readonly after: string }[]
  /** The declarations. */
  readonly body: string
}

/** SHA-256 of the sorted lines "hash of the content, name": the same for the same files in any folder. */
export const dataHash = (files: readonly string[]): string => {
  const lines = files.map(
    (path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')} ${basename(path)}`,
  )
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')
}

/** The text of a fitted file. Pure but for the hash of the data. */
export const fittedText = ({ command, files, errors, body }: Omit<Fitted, 'path'>, date: string): string =>
  [
    '/**',
    ` * Written by \`${command}\` on ${date}, not by hand.`,
    ` * Data: ${files.length} files; SHA-256 of their hashes and names ${dataHash(files)}.`,
    ...errors.map(({ what, before, after }) => ` * Error, ${what}: ${before} before, ${after} after.`),
    ' */',
    body,
    '',
  ].join('\n')

/** Writes the file and returns its path, relative to the present folder. */
export const writeFitted = ({ path, ...fitted }: Fitted): string => {
  writeFileSync(path, fittedText(fitted, new Date().toISOString().slice(0, 10)))
  return relative(process.cwd(), path)
}
