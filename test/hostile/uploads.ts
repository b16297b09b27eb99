import { type Arena, type Finding, isDocumented } from './attack.ts'
import { upload } from './send.ts'

/** A hostile file, made when it is needed: some weigh megabytes. */
export interface HostileFile {
  readonly name: string
  readonly make: () => Promise<Buffer> | Buffer
  /** Options that it is sent with, one upload each. */
  readonly options?: readonly string[]
}

const DEFAULT_OPTIONS = ['full,timeout=10', '300,timeout=10']

/** Uploads every file under each of its options; an answer has to come, and to be documented. */
export const uploadAll = async (arena: Arena, files: readonly HostileFile[]): Promise<Finding> => {
  const problems: string[] = []
  let tries = 0
  for (const { name, make, options = DEFAULT_OPTIONS } of files) {
    const body = await make()
    for (const list of arena.short ? options.slice(0, 1) : options) {
      arena.trying(`${name}, ${list}`)
      const { status } = await upload(arena, list, body)
      tries += 1
      if (!isDocumented(status)) problems.push(`${name} with ${list}: ${status === 0 ? 'no answer' : status}`)
      arena.service.assertAlive()
    }
  }
  return { tries, problems }
}
