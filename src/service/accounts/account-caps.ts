import { fail } from '../../core/failure.ts'
import { OVER, timer } from '../../support/race.ts'

/** How much of the service one account may have in hand at once, however many requests it sends. */
export interface CapsSettings {
  /** Requests that were taken and are not answered; what goes on behind a 303 counts. */
  readonly requests: number
  /** Sources that are fetched or uploaded. */
  readonly receiving: number
  /** Bytes of sources in spool files, and of those that may yet come. */
  readonly spoolBytes: number
}

/** The place of a source that is received; it ends when the source is disposed of. */
export interface Place extends Disposable {
  /** Call this when the whole source has arrived. */
  readonly received: (bytes: number) => void
}

/** Caps on the open requests and sources of each account, so that one account cannot take all connections, descriptors or disk. */
export interface AccountCaps {
  /** Counts a request until it is disposed of. Fails with TOO_MANY_AT_ONCE. */
  readonly enter: (account: string) => Disposable
  /** Number of open requests of all accounts: each holds one image of a quota. */
  readonly entered: () => number
  /** Waits until a source of at most `mostBytes` may be received. Fails with TOO_MANY_AT_ONCE, or with the signal's reason. */
  readonly place: (account: string, mostBytes: number, signal: AbortSignal) => Promise<Place>
}

interface InHand {
  requests: number
  receiving: number
  bytes: number
  readonly waiting: Set<() => void>
}

/** ms that a source waits for earlier sources of its account. */
const MAX_WAIT_MS = 10_000

/** A source of any size is accepted while the account has no other. */
const hasRoom = (caps: CapsSettings, { receiving, bytes }: InHand, mostBytes: number): boolean =>
  receiving < caps.receiving && (bytes === 0 || bytes + mostBytes <= caps.spoolBytes)

/** Lets all that wait look whether they are next now. */
const wake = ({ waiting }: InHand): void => {
  for (const look of [...waiting]) look()
}

/** Open requests and sources by account. Accounts without any are removed. */
const openHands = () => {
  const all = new Map<string, InHand>()
  return {
    of: (account: string): InHand => {
      const known = all.get(account) ?? { requests: 0, receiving: 0, bytes: 0, waiting: new Set<() => void>() }
      all.set(account, known)
      return known
    },
    requests: (): number => [...all.values()].reduce((sum, inHand) => sum + inHand.requests, 0),
    tidy: (account: string): void => {
      const inHand = all.get(account)
      if (inHand === undefined) return
      const { requests, receiving, bytes, waiting } = inHand
      if (requests + receiving + bytes + waiting.size === 0) all.delete(account)
    },
  }
}

/** Waits, after those that came before, until `isFree`. Fails with TOO_MANY_AT_ONCE, or with the signal's reason. */
const waitInLine = async (
  inHand: InHand,
  isFree: () => boolean,
  { signal, mostMs }: { readonly signal: AbortSignal; readonly mostMs: number },
): Promise<void> => {
  if (inHand.waiting.size === 0 && isFree()) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = (): void => {
    const [first] = inHand.waiting
    if (first === look && isFree()) resolve()
  }
  const leave = (): void => reject(signal.reason)
  inHand.waiting.add(look)
  signal.addEventListener('abort', leave, { once: true })
  using limit = timer(mostMs)
  try {
    signal.throwIfAborted()
    if ((await Promise.race([promise, limit.over])) === OVER) throw fail('TOO_MANY_AT_ONCE')
  } finally {
    signal.removeEventListener('abort', leave)
    inHand.waiting.delete(look)
  }
}

/** Takes a place that is there; `left` is called when it is given back. */
const takePlace = (inHand: InHand, mostBytes: number, left: () => void): Place => {
  let [receiving, held] = [1, mostBytes]
  inHand.receiving += receiving
  inHand.bytes += held
  const settle = (bytes: number): void => {
    inHand.receiving -= receiving
    inHand.bytes += bytes - held
    ;[receiving, held] = [0, bytes]
    wake(inHand)
  }
  wake(inHand)
  return {
    received: settle,
    [Symbol.dispose]: () => {
      settle(0)
      left()
    },
  }
}

/** Opens the caps. */
export const openAccountCaps = (caps: CapsSettings, mostMs = MAX_WAIT_MS): AccountCaps => {
  const { of, tidy, requests } = openHands()
  const enter: AccountCaps['enter'] = (account) => {
    const inHand = of(account)
    if (inHand.requests >= caps.requests) throw fail('TOO_MANY_AT_ONCE')
    inHand.requests += 1
    return {
      [Symbol.dispose]: () => {
        inHand.requests -= 1
        tidy(account)
      },
    }
  }
  const place: AccountCaps['place'] = async (account, mostBytes, signal) => {
    const inHand = of(account)
    try {
      await waitInLine(inHand, () => hasRoom(caps, inHand, mostBytes), { signal, mostMs })
    } catch (error) {
      wake(inHand)
      tidy(account)
      throw error
    }
    return takePlace(inHand, mostBytes, () => tidy(account))
  }
  return { enter, entered: requests, place }
}
