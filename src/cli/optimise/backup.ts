import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { digestOf } from './cache.ts'
import { staysInside } from './collisions.ts'
import type { FoundFile } from './find-files.ts'
import { writeAtomically } from './write-result.ts'

/** Hexadecimal digits of a digest that distinguish two backups of the same name. */
const DIGEST_DIGITS = 12

const contentOf = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

const withDigest = (path: string, bytes: Uint8Array): string => {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.${digestOf(bytes).slice(0, DIGEST_DIGITS)}${extension}`
}

/**
 * Keeps a file before it is replaced, in the folder where it was found. Never overwrites a backup: the oldest one is the original, and a
 * later one gets its digest in its name.
 */
export const keepBackup = async (directory: string, file: FoundFile, bytes: Uint8Array): Promise<void> => {
  const usual = resolve(directory, file.relative)
  if (!(await staysInside(directory, usual))) throw new Error('A link leads out of the backup directory there.')
  const there = await contentOf(usual)
  if (there?.equals(bytes) === true) return
  await writeAtomically(there === undefined ? usual : withDigest(usual, bytes), bytes, file.path)
}
