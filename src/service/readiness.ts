import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exhaustedBy } from '../support/exhausted.ts'
import { timer } from '../support/race.ts'
import { removeFile } from '../support/remove.ts'

/** Enough that a disk with a few bytes left is not taken for one with room. */
const PROBE_BYTES = 65_536
/** ms for which an answer is given again. Chosen, not measured. */
const REMEMBER_MS = 1000

/** Says why no new work can be done, or nothing. */
export type Readiness = () => Promise<string | undefined>

const probe = async (directory: string): Promise<string | undefined> => {
  const path = join(directory, `${randomUUID()}.probe`)
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES), { mode: 0o600 })
    return undefined
  } catch (error) {
    return exhaustedBy(error) ?? 'the data directory cannot be written'
  } finally {
    await removeFile(path).catch(() => undefined)
  }
}

/** Most time for the accounts to answer, in ms: a health check gives up soon. */
const PING_MS = 2000

const pingAccounts = async (ping: () => Promise<void>): Promise<string | undefined> => {
  using late = timer(PING_MS)
  const answered = ping().then(
    () => true,
    () => false,
  )
  return (await Promise.race([answered, late.over])) === true
    ? undefined
    : 'the database of the accounts does not answer'
}

/** Finds out, at most once a second, whether a file can be written where sources are spooled, and whether the accounts answer. */
export const openReadiness = (directory: string, ping: () => Promise<void>): Readiness => {
  const look = async (): Promise<string | undefined> => (await probe(directory)) ?? (await pingAccounts(ping))
  let asked = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve<string | undefined>(undefined) }
  return () => {
    if (performance.now() - asked.at > REMEMBER_MS) asked = { at: performance.now(), answer: look() }
    return asked.answer
  }
}
