import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates an empty directory. The caller removes it. */
export const makeDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'whittle-test-'))
