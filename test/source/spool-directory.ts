import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A spool directory for one test file. */
export interface SpoolDirectory extends AsyncDisposable {
  readonly path: string
  /** Names of the files that are in it now. */
  readonly left: () => Promise<readonly string[]>
}

/** Makes an empty directory that goes when it is disposed of. */
export const makeSpoolDirectory = async (): Promise<SpoolDirectory> => {
  const path = await mkdtemp(join(tmpdir(), 'whittle-spool-'))
  return {
    path,
    left: () => readdir(path),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
