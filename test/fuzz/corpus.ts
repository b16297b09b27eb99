import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FIXTURES = join(import.meta.dirname, '../fixtures')

/** The fixtures of a folder whose names match. */
export const filesIn = (folder: string, pattern: RegExp): Uint8Array[] =>
  readdirSync(join(FIXTURES, folder))
    .filter((name) => pattern.test(name))
    .map((name) => new Uint8Array(readFileSync(join(FIXTURES, folder, name))))

let files = 0

/** Writes bytes to a file of their own for as long as they are read: cases run at the same time. */
export const inFile = async (bytes: Uint8Array, read: (path: string) => Promise<unknown>): Promise<void> => {
  const path = join(tmpdir(), `whittle-fuzz-${process.pid}-${files++}`)
  writeFileSync(path, bytes)
  try {
    await read(path)
  } finally {
    rmSync(path, { force: true })
  }
}
