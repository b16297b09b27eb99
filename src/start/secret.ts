import { randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFile } from '../core/remove.ts'

const SECRET_BYTES = 32

/** A new secret of 256 random bits. */
export const makeSecret = (): Buffer => randomBytes(SECRET_BYTES)

/** Puts a file in its place whole or not at all, unless there is one already: it is written elsewhere, to the disk, and then linked. */
const writeOnce = async (directory: string, path: string): Promise<void> => {
  const part = join(directory, `secret-${randomUUID()}`)
  try {
    const file = await open(part, 'wx', 0o600)
    try {
      await file.writeFile(makeSecret())
      await file.sync()
    } finally {
      await file.close()
    }
    // Whoever comes second when two start at once takes what the first has written.
    await link(part, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await removeFile(part)
  }
}

const readIfThere = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** The installation's own secret, from which result names are made: 256 random bits, made once, readable by the service alone. */
export const readSecret = async (directory: string): Promise<Uint8Array> => {
  const path = join(directory, 'secret')
  let secret = await readIfThere(path)
  if (secret === undefined) {
    await writeOnce(directory, path)
    secret = await readFile(path)
  }
  if (secret.length !== SECRET_BYTES)
    throw new Error(`${path} is damaged. Remove it: stored results are then worked out anew.`)
  return secret
}
