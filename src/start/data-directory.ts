import { randomUUID } from 'node:crypto'
import { chmod, readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sweepSpool } from '../source/spool.ts'
import { makeFolder } from '../support/make-folder.ts'
import { removeDirectory } from '../support/remove.ts'
import { lockDirectory } from './lock-directory.ts'
import { startProblem } from './start-problem.ts'

/** Directories that only the running service uses. */
export interface DataDirectory {
  /** Sources of running requests. */
  readonly spool: string
  /** Scratch of running jobs. */
  readonly work: string
  /** Temporary files of child processes. */
  readonly temporary: string
  /** Releases the directory for the next service. */
  readonly close: () => void
}

const prove = async (dataDir: string, directories: readonly string[]): Promise<void> => {
  try {
    for (const directory of directories) await makeFolder(directory, 0o700)
    const probe = join(dataDir, `probe-${randomUUID()}`)
    await writeFile(probe, '')
    await unlink(probe)
    await readdir(dataDir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw startProblem(
      `The data directory ${dataDir} cannot be read and written (${code}). Make it writable for this user, or set DATA_DIR to another one.`,
      error,
    )
  }
}

/** Files in a data directory. SQLite adds -wal, -shm and -journal; other files end in .part while they are written. */
const OWN = /^(?:accounts\.sqlite|charges\.journal|lock|secret|results|spool|work|tmp)(?:[.-].*)?$/

/** Removes other users' access to a data directory. A directory with other content, such as /tmp, stays unchanged. */
const closeToOthers = async (dataDir: string): Promise<void> => {
  const { uid, mode } = await stat(dataDir)
  const isOwn = uid === process.getuid?.() && (await readdir(dataDir)).every((name) => OWN.test(name))
  if (isOwn && (mode & 0o077) !== 0) await chmod(dataDir, 0o700)
}

const lock = (dataDir: string) =>
  lockDirectory(dataDir).catch((error: Error) => {
    throw startProblem(error.message, error)
  })

/** Opens a data directory for this process, and removes files that a killed run left in it. Fails with a StartProblem. */
export const openDataDirectory = async (dataDir: string): Promise<DataDirectory> => {
  const [spool, work, temporary] = [join(dataDir, 'spool'), join(dataDir, 'work'), join(dataDir, 'tmp')]
  await prove(dataDir, [dataDir, spool, work, temporary])
  await closeToOthers(dataDir)
  // No other process uses it now, so existing files are leftovers.
  const { close } = await lock(dataDir)
  await sweepSpool(spool)
  for (const directory of [work, temporary])
    for (const name of await readdir(directory)) await removeDirectory(join(directory, name))
  return { spool, work, temporary, close }
}
