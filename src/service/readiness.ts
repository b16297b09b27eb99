import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECK_MS } from '../core/intervals.ts'
import { PIECE_BYTES } from '../core/piece-bytes.ts'
import { exhaustedBy } from '../support/exhausted.ts'
import { timer } from '../support/race.ts'
import { removeFile } from '../support/remove.ts'

/** Resolves with the reason why the service cannot accept work, or with undefined. */
export type Readiness = () => Promise<string | undefined>

const probe = async (directory: string): Promise<string | undefined> => {
  const path = join(directory, `${randomUUID()}.probe`)
  try {
    await writeFile(path, Buffer.alloc(PIECE_BYTES), { mode: 0o600 })
    return undefined
  } catch (error) {
    return exhaustedBy(error) ?? 'the data directory cannot be written'
  } finally {
    await removeFile(path).catch(() => undefined)
  }
}

/** Maximum ms for a response of the accounts' store. Health checks have short timeouts. */
const PING_MS = 2000

const pingAccounts = async (ping: () => Promise<void>): Promise<string | undefined> => {
  using limit = timer(PING_MS)
  const answered = ping().then(
    () => true,
    () => false,
  )
  return (await Promise.race([answered, limit.over])) === true
    ? undefined
    : 'the database of the accounts does not answer'
}

/** Checks at most once a second whether the spool directory is writable and the accounts' store responds. */
export const openReadiness = (directory: string, ping: () => Promise<void>): Readiness => {
  const check = async (): Promise<string | undefined> => (await probe(directory)) ?? (await pingAccounts(ping))
  let last = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve<string | undefined>(undefined) }
  return () => {
    if (performance.now() - last.at > CHECK_MS) last = { at: performance.now(), answer: check() }
    return last.answer
  }
}
