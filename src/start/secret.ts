import { randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFile } from '../support/remove.ts'

/** A new secret of 256 random bits. */
export const makeSecret = (): Buffer => randomBytes(32)

/** Creates a file atomically unless it exists: writes it elsewhere, syncs it, and links it. */
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
    // If two processes start at once, the second one uses the secret of the first.
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

/** The installation's secret, on which result names depend: 256 random bits, created once, readable only by the service. */
export const readSecret = async (directory: string): Promise<Uint8Array> => {
  const path = join(directory, 'secret')
  let secret = await readIfThere(path)
  if (secret === undefined) {
    await writeOnce(directory, path)
    secret = await readFile(path)
  }
  if (secret.length !== 32) throw new Error(`${path} is damaged. Remove it: stored results are then computed again.`)
  return secret
}
