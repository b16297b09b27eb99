import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A new secret of 256 random bits. */
export const makeSecret = (): Buffer => randomBytes(32)

/** The installation's own secret, from which result names are made: 256 random bits, made once, readable by the service alone. */
export const readSecret = async (directory: string): Promise<Uint8Array> => {
  const path = join(directory, 'secret')
  // Whoever comes second when two start at once takes what the first has written.
  await writeFile(path, makeSecret(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const secret = await readFile(path)
  if (secret.length !== 32) throw new Error(`${path} is damaged. Remove it: stored results are then worked out anew.`)
  return secret
}
