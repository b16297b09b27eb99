import { chmod, copyFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyDatabase } from '../adapters/accounts/node-sqlite.ts'
import { exists } from '../support/exists.ts'
import { makeFolder } from '../support/make-folder.ts'
import { removeFile } from '../support/remove.ts'

const makeEmpty = async (target: string): Promise<void> => {
  await makeFolder(target, 0o700)
  if ((await readdir(target)).length > 0) throw new Error(`The folder ${target} is not empty. Name a new one.`)
}

/** Copies the accounts, and the secret if there is one. A failure leaves no part of them, which could be restored as a whole backup. */
const copyInto = async (dataDir: string, target: string): Promise<readonly string[]> => {
  const [secret, part] = [join(target, 'secret'), join(target, 'accounts.sqlite.part')]
  try {
    const hasSecret = await exists(join(dataDir, 'secret'))
    if (hasSecret) {
      await copyFile(join(dataDir, 'secret'), secret)
      await chmod(secret, 0o600)
    }
    // The copy gets the permissions of the empty file.
    await writeFile(part, '', { flag: 'wx', mode: 0o600 })
    copyDatabase(join(dataDir, 'accounts.sqlite'), part)
    await rename(part, join(target, 'accounts.sqlite'))
    return ['accounts.sqlite', ...(hasSecret ? ['secret'] : [])]
  } catch (error) {
    await Promise.allSettled([secret, part, `${part}-journal`].map((path) => removeFile(path)))
    throw error
  }
}

/**
 * Copies the irreplaceable data of an installation, its accounts and its secret, from its data directory to a new folder that only its
 * owner can read. The service may be running. A failure leaves the folder empty. Resolves with the names of the files. Throws an Error
 * with a plain sentence.
 */
export const backUp = async (dataDir: string, target: string): Promise<readonly string[]> => {
  if (!(await exists(join(dataDir, 'accounts.sqlite'))))
    throw new Error(`There are no accounts in ${dataDir}. Set DATA_DIR as for the service.`)
  await makeEmpty(target)
  return copyInto(dataDir, target)
}
