import { RETRY_MS } from '../../core/intervals.ts'
import type { Accounts } from '../../ports/accounts.ts'
import type { Journal, JournalEntry } from './journal.ts'

/** A held charge, as its journal entry needs it. */
type Held = Pick<JournalEntry, 'username' | 'reservedAt'>

export interface JournaledSettings {
  readonly accounts: Accounts
  readonly journal: Journal
  /** Whether an error means that the database is away. Then the charge is journaled. */
  readonly isAway: (error: unknown) => boolean
  /** Applies an entry. Idempotent. */
  readonly apply: (entry: JournalEntry) => Promise<void>
  readonly now: () => Date
}

/** Accounts that lose no charge while their database is away: ends of charges are journaled and applied later. */
export const openJournaledAccounts = async (settings: JournaledSettings): Promise<Accounts> => {
  const { accounts, journal, isAway, apply, now } = settings
  /** By request id. All attempts of a request hold the same charge. */
  const held = new Map<string, Held & { attempts: number }>()

  const replay = async (): Promise<void> => {
    if (journal.size() > 0) await journal.replay(apply)
  }
  const forget = (requestId: string): void => {
    const charge = held.get(requestId)
    if (charge === undefined) return
    charge.attempts -= 1
    if (charge.attempts <= 0) held.delete(requestId)
  }
  const orJournal = (act: JournalEntry['act']) => async (requestId: string, holder?: string) => {
    const charge = held.get(requestId)
    try {
      await accounts[act](requestId, holder)
    } catch (error) {
      if (charge === undefined || !isAway(error)) throw error
      const { username, reservedAt } = charge
      await journal.add({ act, requestId, ...(holder === undefined ? {} : { holder }), username, reservedAt })
    } finally {
      forget(requestId)
    }
  }

  // The caller that opened the database reports it when it is away.
  await replay().catch(() => undefined)
  let replaying: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    replaying = replaying.then(replay).catch(() => undefined)
  }, RETRY_MS).unref()

  return {
    find: accounts.find,
    ping: accounts.ping,
    journaled: journal.size,
    reserve: async (username, requestId, holder) => {
      const reservedAt = now().getTime()
      const granted = await accounts.reserve(username, requestId, holder)
      const attempts = (held.get(requestId)?.attempts ?? 0) + 1
      if (granted) held.set(requestId, { username, reservedAt, attempts })
      return granted
    },
    // Not journaled: while the database is away no other node can release the charge either.
    renew: accounts.renew,
    release: orJournal('release'),
    settle: orJournal('settle'),
    close: async () => {
      clearInterval(timer)
      await replaying
      await replay().catch(() => undefined)
      await accounts.close()
    },
  }
}
