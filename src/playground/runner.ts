import { CHECK_MS, IDLE_MS } from '../core/intervals.ts'
import type { OptionLimits } from '../options/options.ts'
import { ask, type Caller, isThere, type Outcome, ServiceAway } from './ask.ts'
import type { Setup } from './setup.ts'
import type { State, Store } from './state.ts'
import { type Wanted, wantedResults } from './wanted.ts'

/** Concurrent requests: enough for a few cores, and few enough for an early first result. */
const MAX_REQUESTS = 3
/** Cached results, so that an earlier option list shows at once. */
const MAX_OUTCOMES = 120

/** Adds an outcome. Evicts the oldest outcomes that the page does not want, and passes them to `drop`. */
const keepOutcome = (
  { outcomes, wanted }: { readonly outcomes: State['outcomes']; readonly wanted: ReadonlySet<string> },
  [key, outcome]: readonly [string, Outcome],
  drop: (gone: Outcome) => void,
): State['outcomes'] => {
  const kept = new Map(outcomes).set(key, outcome)
  for (const [old, gone] of outcomes) {
    if (kept.size <= MAX_OUTCOMES) break
    if (wanted.has(old)) continue
    kept.delete(old)
    drop(gone)
  }
  return kept
}

const keysOf = (wanted: readonly Wanted[]): ReadonlySet<string> => new Set(wanted.map(({ key }) => key))

const forget = (gone: Outcome): void => {
  if (gone.kind === 'done') URL.revokeObjectURL(gone.address)
}

/** Running requests. Those whose results are no longer wanted are aborted. */
const openRequests = (store: Store, setup: Setup, limits: OptionLimits) => {
  const underWay = new Map<string, Caller & { readonly controller: AbortController }>()
  const begun = new Map<string, number>()
  const showRunning = (): void => store.set({ running: new Map(begun) })
  const waitForService = async (): Promise<void> => {
    store.set({ away: true })
    while (!(await isThere(setup))) await new Promise((done) => setTimeout(done, 4 * CHECK_MS))
    store.set({ away: false })
  }
  const keep = (key: string, outcome: Outcome): void => {
    const { outcomes } = store.get()
    const wanted = keysOf(wantedResults(store.get(), limits))
    store.set({ outcomes: keepOutcome({ outcomes, wanted }, [key, outcome], forget) })
  }
  /** Whether these are still the account and key of the page. */
  const isCaller = (caller: Caller): boolean =>
    caller.account === store.get().account && caller.accessKey === store.get().accessKey
  const begin = async ({ key, item, list }: Wanted): Promise<void> => {
    const controller = new AbortController()
    const { account, accessKey } = store.get()
    underWay.set(key, { account, accessKey, controller })
    begun.set(key, performance.now())
    showRunning()
    try {
      const outcome = await ask(setup, { account, accessKey, list, origin: item.origin }, controller.signal)
      if (!controller.signal.aborted && isCaller({ account, accessKey })) keep(key, outcome)
    } catch (error) {
      if (error instanceof ServiceAway && !store.get().away) void waitForService()
    } finally {
      underWay.delete(key)
      begun.delete(key)
      showRunning()
    }
  }
  const abortOthers = (keys: ReadonlySet<string>): void => {
    // An existing outcome was set by the user, who cancelled the request.
    const { outcomes } = store.get()
    for (const [key, { controller, ...caller }] of underWay)
      if (!isCaller(caller) || !keys.has(key) || outcomes.has(key)) controller.abort()
  }
  return { begin, abortOthers, has: (key: string) => underWay.has(key), count: () => underWay.size }
}

/** Calls `react` after each change of the page, but only after a pause while the user types or drags. */
const watchWithPauses = (store: Store, react: () => void): void => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let seen = { list: '', account: '', accessKey: '' }
  store.watch((state) => {
    const moved = state.list !== seen.list || state.account !== seen.account || state.accessKey !== seen.accessKey
    seen = state
    if (!moved && timer !== undefined) return
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        timer = undefined
        react()
      },
      moved ? IDLE_MS : 0,
    )
  })
}

/** Requests the results that the page wants, and aborts the others. */
export const startRunner = (store: Store, setup: Setup, limits: OptionLimits): void => {
  const requests = openRequests(store, setup, limits)
  watchWithPauses(store, () => {
    const state = store.get()
    const wanted = wantedResults(state, limits)
    requests.abortOthers(keysOf(wanted))
    if (state.away) return
    for (const one of wanted) {
      if (requests.count() >= MAX_REQUESTS) return
      if (!requests.has(one.key) && !state.outcomes.has(one.key)) void requests.begin(one)
    }
  })
}
