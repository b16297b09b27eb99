import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A spool directory for one test file. */
export interface SpoolDirectory extends AsyncDisposable {
  readonly path: string
  /** Names of the files in the directory. */
  readonly left: () => Promise<readonly string[]>
}

/** Creates an empty directory. Disposal removes it. */
export const makeSpoolDirectory = async (): Promise<SpoolDirectory> => {
  const path = await mkdtemp(join(tmpdir(), 'whittle-spool-'))
  return {
    path,
    left: () => readdir(path),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
