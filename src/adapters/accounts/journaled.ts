import type { Accounts } from '../../ports/accounts.ts'
import type { Journal, JournalEntry } from './journal.ts'

/** How often what stands in the journal is tried again. */
const REPLAY_EVERY_MS = 2000

/** A charge that is held: what its journal entry needs to know. */
type Held = Pick<JournalEntry, 'username' | 'reservedAt'>

export interface JournaledSettings {
  readonly accounts: Accounts
  readonly journal: Journal
  /** Whether an error means that the database is away, so that the charge belongs into the journal. */
  readonly isAway: (error: unknown) => boolean
  /** Does what an entry says, however late; idempotent. */
  readonly apply: (entry: JournalEntry) => Promise<void>
  readonly now: () => Date
}

/** Accounts that lose no charge while their database is away: what cannot be settled or released is written down and done later. */
export const openJournaledAccounts = async (settings: JournaledSettings): Promise<Accounts> => {
  const { accounts, journal, isAway, apply, now } = settings
  /** By request id: what several tries of one request hold is the same charge. */
  const held = new Map<string, Held & { tries: number }>()

  const replay = async (): Promise<void> => {
    if (journal.size() > 0) await journal.replay(apply)
  }
  const forget = (requestId: string): void => {
    const charge = held.get(requestId)
    if (charge === undefined) return
    charge.tries -= 1
    if (charge.tries <= 0) held.delete(requestId)
  }
  const later = (act: JournalEntry['act']) => async (requestId: string, holder?: string) => {
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
  }, REPLAY_EVERY_MS).unref()

  return {
    find: accounts.find,
    ping: accounts.ping,
    journaled: journal.size,
    reserve: async (username, requestId, holder) => {
      const reservedAt = now().getTime()
      const granted = await accounts.reserve(username, requestId, holder)
      const tries = (held.get(requestId)?.tries ?? 0) + 1
      if (granted) held.set(requestId, { username, reservedAt, tries })
      return granted
    },
    // Not journaled: while the database is away no other node can release the charge either.
    renew: accounts.renew,
    release: later('release'),
    settle: later('settle'),
    close: async () => {
      clearInterval(timer)
      await replaying
      await replay().catch(() => undefined)
      await accounts.close()
    },
  }
}
