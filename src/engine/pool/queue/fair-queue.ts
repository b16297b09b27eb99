/** Account and cost of a job. */
export interface Share {
  /** The account: each gets an equal share of what is served. */
  readonly account: string
  /** Estimated work, in any unit that all use. */
  readonly cost: number
}

/** Things that wait, and the order in which they are served. */
export interface FairQueue<Item> {
  readonly add: (item: Item, share: Share) => void
  /** Removes and returns the next item of the accounts that may be served now; of all accounts without `mayServe`. */
  readonly next: (mayServe?: (account: string) => boolean) => Item | undefined
  readonly remove: (item: Item) => void
  readonly size: () => number
  /** Accounts and costs of all that wait. */
  readonly shares: () => readonly Share[]
  readonly countOf: (account: string) => number
  /** Work that would be served before an item that this account adds now. */
  readonly costAhead: (account: string) => number
  /** Whether this account, with one more item, would still have less waiting than another account. */
  readonly isModest: (account: string) => boolean
  /** Removes and returns the newest item of the account that has most waiting. */
  readonly evict: () => Item | undefined
  /**
   * Charges an account for work outside this queue, such as that of another node: other accounts go first, within MAX_LEAD_MEGAPIXELS. No
   * effect while no other account waits.
   */
  readonly charge: (share: Share) => void
  /** Whether other accounts go first because of a charge: they have not been served that work yet. */
  readonly isInDebt: (account: string) => boolean
}

interface Waiting<Item> extends Share {
  readonly item: Item
  /** Virtual time at which its account's earlier work would be done if all accounts were served at once. */
  start: number
}

/** Work of other accounts that goes ahead of an account's queued work because of charges: no account starves. */
const MAX_LEAD_MEGAPIXELS = 10

/**
 * Start-time fair queueing (Goyal, Vin and Cheng 1996). A waiting job has the virtual time at which its account's earlier work would have
 * been served. The job with the lowest time goes first. An account with little work is next in line regardless of the
 * queue of another, and a single account gets everything.
 */
export const openFairQueue = <Item>(): FairQueue<Item> => {
  const waiting: Waiting<Item>[] = []
  const finishes = new Map<string, number>()
  /** Virtual times up to which charges delay an account. */
  const debts = new Map<string, number>()
  let now = 0

  const startOf = (account: string): number => Math.max(now, finishes.get(account) ?? 0)
  const advance = ({ account, cost }: Share): number => {
    const start = startOf(account)
    finishes.set(account, start + cost)
    return start
  }
  const takeOut = (at: number): Item | undefined => waiting.splice(at, 1)[0]?.item
  const countOf = (account: string): number => waiting.filter((one) => one.account === account).length
  const longest = (): string | undefined => {
    const counts = new Map<string, number>()
    for (const { account } of waiting) counts.set(account, (counts.get(account) ?? 0) + 1)
    return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
  }
  /** Times before the present have no effect any more. */
  const forget = (): void => {
    for (const times of [finishes, debts]) for (const [account, at] of times) if (at <= now) times.delete(account)
  }

  return {
    add: (item, share) => void waiting.push({ item, ...share, start: advance(share) }),
    next: (mayServe = () => true) => {
      const at = waiting.reduce(
        (best, one, index) => (mayServe(one.account) && (best < 0 || one.start < waiting[best]!.start) ? index : best),
        -1,
      )
      if (at < 0) return undefined
      now = Math.max(now, waiting[at]!.start)
      forget()
      return takeOut(at)
    },
    remove: (item) => {
      const at = waiting.findIndex((one) => one.item === item)
      if (at >= 0) takeOut(at)
    },
    size: () => waiting.length,
    shares: () => waiting,
    countOf,
    costAhead: (account) => {
      const own = startOf(account)
      return waiting.reduce((sum, { start, cost }) => (start <= own ? sum + cost : sum), 0)
    },
    isModest: (account) => {
      const most = longest()
      return most !== undefined && countOf(account) + 1 < countOf(most)
    },
    evict: () => takeOut(waiting.findLastIndex(({ account }) => account === longest())),
    charge: ({ account, cost }) => {
      const own = waiting.filter((one) => one.account === account)
      if (own.length === waiting.length) return
      const first = Math.min(startOf(account), ...own.map(({ start }) => start))
      const more = Math.max(0, Math.min(cost, now + MAX_LEAD_MEGAPIXELS - first))
      finishes.set(account, startOf(account) + more)
      for (const one of own) one.start += more
      debts.set(account, first + more)
    },
    isInDebt: (account) => (debts.get(account) ?? now) > now,
  }
}
