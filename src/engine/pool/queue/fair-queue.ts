/** The cost of a job, and the account that it is charged to. */
export interface JobCost {
  /** Accounts that wait are served the same cost. */
  readonly account: string
  /** Estimated work in megapixels of JPEG. */
  readonly cost: number
}

/** Waiting items, and the order in which they are served. */
export interface FairQueue<Item> {
  readonly add: (item: Item, jobCost: JobCost) => void
  /** Removes and returns the next item of the accounts that may be served now; of all accounts without `mayServe`. */
  readonly next: (mayServe?: (account: string) => boolean) => Item | undefined
  readonly remove: (item: Item) => void
  readonly size: () => number
  /** The costs of all waiting items. */
  readonly costs: () => readonly JobCost[]
  readonly countOf: (account: string) => number
  /** Cost of the items that would be served before an item that this account adds now. */
  readonly costAhead: (account: string) => number
  /** Whether this account, with one more item, would still have fewer items than another account. */
  readonly isModest: (account: string) => boolean
  /** Removes and returns the newest item of the account with the most items. */
  readonly evict: () => Item | undefined
  /**
   * Charges an account for work outside this queue, such as that of another node: other accounts go first, within MAX_LEAD_MEGAPIXELS. No
   * effect while no other account waits.
   */
  readonly charge: (jobCost: JobCost) => void
  /** Whether other accounts go first because of a charge: they have not been served that work yet. */
  readonly isInDebt: (account: string) => boolean
}

interface QueuedItem<Item> extends JobCost {
  readonly item: Item
  /** Virtual time at which its account's earlier work would be done if all accounts were served at once. */
  virtualStart: number
}

/** Work of other accounts that goes ahead of an account's queued work because of charges: no account starves. */
const MAX_LEAD_MEGAPIXELS = 10

/** Opens the virtual clock: the served work of an account that always waits, in the unit of the costs. */
const openVirtualClock = () => {
  /** Virtual times at which the work of each account ends. */
  const finishes = new Map<string, number>()
  /** Virtual times up to which charges delay an account. */
  const debtEnds = new Map<string, number>()
  let now = 0
  /** Drops times before the present, which have no effect any more. */
  const forget = (): void => {
    for (const times of [finishes, debtEnds]) for (const [account, at] of times) if (at <= now) times.delete(account)
  }
  const startOf = (account: string): number => Math.max(now, finishes.get(account) ?? 0)
  /** Adds work to an account. Returns the virtual time at which it starts. */
  const advance = ({ account, cost }: JobCost): number => {
    const start = startOf(account)
    finishes.set(account, start + cost)
    return start
  }
  return {
    startOf,
    advance,
    moveTo: (time: number): void => {
      now = Math.max(now, time)
      forget()
    },
    /** Charges an account whose next work would start at `start`. Returns the delay of its work. */
    charge: ({ account, cost }: JobCost, start: number): number => {
      const delay = Math.max(0, Math.min(cost, now + MAX_LEAD_MEGAPIXELS - start))
      advance({ account, cost: delay })
      debtEnds.set(account, start + delay)
      return delay
    },
    isInDebt: (account: string): boolean => (debtEnds.get(account) ?? now) > now,
  }
}

/** Returns the account with the most items, or undefined without items. */
const longestOf = (items: readonly JobCost[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const { account } of items) counts.set(account, (counts.get(account) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}

/** Returns the index of the item with the lowest virtual start among the accounts that may be served, or -1. */
const nextIndex = (items: readonly QueuedItem<unknown>[], mayServe: (account: string) => boolean): number =>
  items.reduce((best, { account, virtualStart }, index) => {
    const isEarlier = best < 0 || virtualStart < items[best]!.virtualStart
    return isEarlier && mayServe(account) ? index : best
  }, -1)

/**
 * Start-time fair queueing (Goyal, Vin and Cheng 1996). A waiting job has the virtual time at which its account's earlier work would have
 * been served. The job with the lowest time goes first. An account with little work is next in line regardless of the
 * queue of another, and a single account gets everything.
 */
export const openFairQueue = <Item>(): FairQueue<Item> => {
  const waiting: QueuedItem<Item>[] = []
  const clock = openVirtualClock()
  const takeOut = (at: number): Item | undefined => (at < 0 ? undefined : waiting.splice(at, 1)[0]?.item)
  const itemsOf = (account: string): readonly QueuedItem<Item>[] => waiting.filter((one) => one.account === account)
  const countOf = (account: string): number => itemsOf(account).length

  return {
    add: (item, jobCost) => void waiting.push({ item, ...jobCost, virtualStart: clock.advance(jobCost) }),
    next: (mayServe = () => true) => {
      const at = nextIndex(waiting, mayServe)
      if (at >= 0) clock.moveTo(waiting[at]!.virtualStart)
      return takeOut(at)
    },
    remove: (item) => void takeOut(waiting.findIndex((one) => one.item === item)),
    size: () => waiting.length,
    costs: () => waiting,
    countOf,
    costAhead: (account) => {
      const start = clock.startOf(account)
      return waiting.reduce((sum, { virtualStart, cost }) => (virtualStart <= start ? sum + cost : sum), 0)
    },
    isModest: (account) => {
      const longest = longestOf(waiting)
      return longest !== undefined && countOf(account) + 1 < countOf(longest)
    },
    evict: () => {
      const longest = longestOf(waiting)
      return takeOut(waiting.findLastIndex(({ account }) => account === longest))
    },
    charge: (jobCost) => {
      const own = itemsOf(jobCost.account)
      if (own.length === waiting.length) return
      const starts = own.map(({ virtualStart }) => virtualStart)
      const delay = clock.charge(jobCost, Math.min(clock.startOf(jobCost.account), ...starts))
      for (const item of own) item.virtualStart += delay
    },
    isInDebt: clock.isInDebt,
  }
}
