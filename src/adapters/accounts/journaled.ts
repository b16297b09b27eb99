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
  const held = new Map<string, Held>()

  const replay = async (): Promise<void> => {
    if (journal.size() > 0) await journal.replay(apply)
  }
  const later = (act: JournalEntry['act']) => async (requestId: string) => {
    const charge = held.get(requestId)
    try {
      await accounts[act](requestId)
    } catch (error) {
      if (charge === undefined || !isAway(error)) throw error
      await journal.add({ act, requestId, ...charge })
    } finally {
      held.delete(requestId)
    }
  }

  // A database that is away at this moment is told by whoever opened it.
  await replay().catch(() => undefined)
  let replaying: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    replaying = replaying.then(replay).catch(() => undefined)
  }, REPLAY_EVERY_MS).unref()

  return {
    find: accounts.find,
    reserve: async (username, requestId) => {
      const reservedAt = now().getTime()
      const granted = await accounts.reserve(username, requestId)
      if (granted) held.set(requestId, { username, reservedAt })
      return granted
    },
    // Its time begins anew when the database is back: until then nobody can give it back either.
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
