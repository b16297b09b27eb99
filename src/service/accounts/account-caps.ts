import { fail } from '../../core/failure.ts'
import { OVER, timer } from '../../support/race.ts'

/** Limits of what one account may use concurrently. */
export interface CapsSettings {
  /** Open requests, including work that continues after a 303. */
  readonly requests: number
  /** Sources being fetched or uploaded. */
  readonly receiving: number
  /** Bytes of sources in spool files, plus the maximum of those being received. */
  readonly spoolBytes: number
}

/** Permission to receive and keep one source. Dispose of it with the source. */
export interface SourceSlot extends Disposable {
  /** Call this with the size once the whole source has arrived. */
  readonly received: (bytes: number) => void
}

/** Limits the concurrent use of each account, so that none can occupy all connections, file descriptors or disk space. */
export interface AccountCaps {
  /** Counts a request until it is disposed of. Fails with TOO_MANY_AT_ONCE. */
  readonly enter: (account: string) => Disposable
  /** Number of open requests of all accounts. Each reserves one image of a quota. */
  readonly entered: () => number
  /** Waits until a source of at most `maxBytes` may be received. Fails with TOO_MANY_AT_ONCE, or with the signal's reason. */
  readonly takeSlot: (account: string, maxBytes: number, signal: AbortSignal) => Promise<SourceSlot>
}

/** Current usage of one account. `waiting`: a check per waiting source, in order of arrival. */
interface Usage {
  requests: number
  receiving: number
  bytes: number
  readonly waiting: Set<() => void>
}

/** Maximum ms that a source waits for earlier sources of its account. Chosen, not measured. */
const MAX_WAIT_MS = 10_000

/** Whether an account may receive one more source. It may always receive its first one, of any size. */
const hasFreeSlot = (caps: CapsSettings, { receiving, bytes }: Usage, maxBytes: number): boolean =>
  receiving < caps.receiving && (bytes === 0 || bytes + maxBytes <= caps.spoolBytes)

const wakeWaiting = ({ waiting }: Usage): void => {
  for (const check of [...waiting]) check()
}

/** Tracks the usage by account. Removes accounts without usage. */
const openUsage = () => {
  const all = new Map<string, Usage>()
  return {
    of: (account: string): Usage => {
      const known = all.get(account) ?? { requests: 0, receiving: 0, bytes: 0, waiting: new Set<() => void>() }
      all.set(account, known)
      return known
    },
    requests: (): number => [...all.values()].reduce((sum, usage) => sum + usage.requests, 0),
    removeIfUnused: (account: string): void => {
      const usage = all.get(account)
      if (usage === undefined) return
      const { requests, receiving, bytes, waiting } = usage
      if (requests + receiving + bytes + waiting.size === 0) all.delete(account)
    },
  }
}

/** Waits until all earlier sources of the account have a slot and `isFree` returns true. Fails with TOO_MANY_AT_ONCE, or with the signal's reason. */
const waitInLine = async (
  usage: Usage,
  isFree: () => boolean,
  { signal, maxWaitMs }: { readonly signal: AbortSignal; readonly maxWaitMs: number },
): Promise<void> => {
  if (usage.waiting.size === 0 && isFree()) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const check = (): void => {
    const [first] = usage.waiting
    if (first === check && isFree()) resolve()
  }
  const leave = (): void => reject(signal.reason)
  usage.waiting.add(check)
  signal.addEventListener('abort', leave, { once: true })
  using limit = timer(maxWaitMs)
  try {
    signal.throwIfAborted()
    if ((await Promise.race([promise, limit.over])) === OVER) throw fail('TOO_MANY_AT_ONCE')
  } finally {
    signal.removeEventListener('abort', leave)
    usage.waiting.delete(check)
  }
}

/** Occupies a slot. Calls `onDispose` after it was freed. */
const occupySlot = (usage: Usage, maxBytes: number, onDispose: () => void): SourceSlot => {
  let [receiving, held] = [1, maxBytes]
  usage.receiving += receiving
  usage.bytes += held
  const settle = (bytes: number): void => {
    usage.receiving -= receiving
    usage.bytes += bytes - held
    ;[receiving, held] = [0, bytes]
    wakeWaiting(usage)
  }
  wakeWaiting(usage)
  return {
    received: settle,
    [Symbol.dispose]: () => {
      settle(0)
      onDispose()
    },
  }
}

/** Opens the limits. `maxWaitMs` limits the wait for a slot; 10 s by default. */
export const openAccountCaps = (caps: CapsSettings, maxWaitMs = MAX_WAIT_MS): AccountCaps => {
  const { of, removeIfUnused, requests } = openUsage()
  const enter: AccountCaps['enter'] = (account) => {
    const usage = of(account)
    if (usage.requests >= caps.requests) throw fail('TOO_MANY_AT_ONCE')
    usage.requests += 1
    return {
      [Symbol.dispose]: () => {
        usage.requests -= 1
        removeIfUnused(account)
      },
    }
  }
  const takeSlot: AccountCaps['takeSlot'] = async (account, maxBytes, signal) => {
    const usage = of(account)
    try {
      await waitInLine(usage, () => hasFreeSlot(caps, usage, maxBytes), { signal, maxWaitMs })
    } catch (error) {
      wakeWaiting(usage)
      removeIfUnused(account)
      throw error
    }
    return occupySlot(usage, maxBytes, () => removeIfUnused(account))
  }
  return { enter, entered: requests, takeSlot }
}
