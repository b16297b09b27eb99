import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new empty directory; whoever asked for it removes it. */
export const makeDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'whittle-test-'))
