import { randomUUID } from 'node:crypto'
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeDirectory } from '../core/remove.ts'
import { sweepSpool } from '../source/spool.ts'
import { lockDirectory } from './lock-directory.ts'
import { startProblem } from './start-problem.ts'

/** The directories that a running service has to itself. */
export interface DataDirectory {
  /** Sources of running requests. */
  readonly spool: string
  /** Scratch of running jobs. */
  readonly work: string
  /** Temporary files of child processes. */
  readonly temporary: string
  /** Lets the next service have it. */
  readonly close: () => void
}

const prove = async (dataDir: string, directories: readonly string[]): Promise<void> => {
  try {
    for (const directory of directories) await mkdir(directory, { recursive: true, mode: 0o700 })
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

const lock = (dataDir: string) =>
  lockDirectory(dataDir).catch((error: Error) => {
    throw startProblem(error.message, error)
  })

/** Takes a data directory for this process alone, and empties what an earlier run left in it when it was killed. Fails with a StartProblem. */
export const openDataDirectory = async (dataDir: string): Promise<DataDirectory> => {
  const [spool, work, temporary] = [join(dataDir, 'spool'), join(dataDir, 'work'), join(dataDir, 'tmp')]
  await prove(dataDir, [dataDir, spool, work, temporary])
  // Nobody else works in it from here on: what lies there is nobody's.
  const { close } = await lock(dataDir)
  await sweepSpool(spool)
  for (const directory of [work, temporary])
    for (const name of await readdir(directory)) await removeDirectory(join(directory, name))
  return { spool, work, temporary, close }
}
