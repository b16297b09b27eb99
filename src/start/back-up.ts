import { chmod, copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { copyDatabase } from '../adapters/accounts/node-sqlite.ts'
import { exists } from '../support/exists.ts'
import { makeFolder } from '../support/make-folder.ts'

const makeEmpty = async (target: string): Promise<void> => {
  await makeFolder(target, 0o700)
  if ((await readdir(target)).length > 0) throw new Error(`The folder ${target} is not empty. Name a new one.`)
}

/**
 * Copies the irreplaceable data of an installation, its accounts and its secret, from its data directory to a new folder that only its
 * owner can read. The service may be running. Resolves with the names of the files. Throws an Error with a plain sentence.
 */
export const backUp = async (dataDir: string, target: string): Promise<readonly string[]> => {
  const accounts = join(dataDir, 'accounts.sqlite')
  if (!(await exists(accounts)))
    throw new Error(`There are no accounts in ${dataDir}. Set DATA_DIR as for the service.`)
  await makeEmpty(target)
  copyDatabase(accounts, join(target, 'accounts.sqlite'))
  const hasSecret = await exists(join(dataDir, 'secret'))
  if (hasSecret) await copyFile(join(dataDir, 'secret'), join(target, 'secret'))
  const names = ['accounts.sqlite', ...(hasSecret ? ['secret'] : [])]
  for (const name of names) await chmod(join(target, name), 0o600)
  return names
}
