import { CHECK_MS, IDLE_MS } from '../core/intervals.ts'
import type { OptionLimits } from '../options/options.ts'
import { type NeededResult, neededResults } from './needed-results.ts'
import { type Caller, type Outcome, requestResult, ServiceUnreachable, serviceResponds } from './requests.ts'
import type { Setup } from './setup.ts'
import type { State, Store } from './state.ts'

/** Maximum number of concurrent requests: few, so that the first result arrives early. Chosen, not measured. */
const MAX_REQUESTS = 3
/** Maximum number of cached outcomes, so that a previous option list shows at once. Chosen, not measured. */
const MAX_OUTCOMES = 120

/** Adds an outcome. Evicts the oldest outcomes that the page does not need, and passes them to `evict`. */
const addOutcome = (
  { outcomes, needed }: { readonly outcomes: State['outcomes']; readonly needed: ReadonlySet<string> },
  [key, outcome]: readonly [string, Outcome],
  evict: (outcome: Outcome) => void,
): State['outcomes'] => {
  const kept = new Map(outcomes).set(key, outcome)
  for (const [oldKey, oldOutcome] of outcomes) {
    if (kept.size <= MAX_OUTCOMES) break
    if (needed.has(oldKey)) continue
    kept.delete(oldKey)
    evict(oldOutcome)
  }
  return kept
}

const keysOf = (results: readonly NeededResult[]): ReadonlySet<string> => new Set(results.map(({ key }) => key))

const revoke = (outcome: Outcome): void => {
  if (outcome.kind === 'done') URL.revokeObjectURL(outcome.address)
}

/** Starts and aborts requests, and stores their outcomes in the state of the page. */
const openRequests = (store: Store, setup: Setup, limits: OptionLimits) => {
  const active = new Map<string, Caller & { readonly controller: AbortController }>()
  const startTimes = new Map<string, number>()
  const showRunning = (): void => store.set({ running: new Map(startTimes) })
  const waitForService = async (): Promise<void> => {
    store.set({ isUnreachable: true })
    while (!(await serviceResponds(setup))) await new Promise((done) => setTimeout(done, 4 * CHECK_MS))
    store.set({ isUnreachable: false })
  }
  const storeOutcome = (key: string, outcome: Outcome): void => {
    const { outcomes } = store.get()
    const needed = keysOf(neededResults(store.get(), limits))
    store.set({ outcomes: addOutcome({ outcomes, needed }, [key, outcome], revoke) })
  }
  /** Whether the page still uses this account and key. */
  const isCaller = (caller: Caller): boolean =>
    caller.account === store.get().account && caller.accessKey === store.get().accessKey
  const start = async ({ key, item, list }: NeededResult): Promise<void> => {
    const controller = new AbortController()
    const { account, accessKey } = store.get()
    active.set(key, { account, accessKey, controller })
    startTimes.set(key, performance.now())
    showRunning()
    try {
      const outcome = await requestResult(setup, { account, accessKey, list, origin: item.origin }, controller.signal)
      if (!controller.signal.aborted && isCaller({ account, accessKey })) storeOutcome(key, outcome)
    } catch (error) {
      if (error instanceof ServiceUnreachable && !store.get().isUnreachable) void waitForService()
    } finally {
      active.delete(key)
      startTimes.delete(key)
      showRunning()
    }
  }
  const abortOthers = (keys: ReadonlySet<string>): void => {
    // An active request has an outcome only if the user cancelled it.
    const { outcomes } = store.get()
    for (const [key, { controller, ...caller }] of active)
      if (!isCaller(caller) || !keys.has(key) || outcomes.has(key)) controller.abort()
  }
  return { start, abortOthers, has: (key: string) => active.has(key), count: () => active.size }
}

/** Calls `react` after each change of the page. While the user types or drags, it waits for a pause. */
const watchWithPauses = (store: Store, react: () => void): void => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let seen = { list: '', account: '', accessKey: '' }
  store.watch((state) => {
    const isEdit = state.list !== seen.list || state.account !== seen.account || state.accessKey !== seen.accessKey
    seen = state
    if (!isEdit && timer !== undefined) return
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        timer = undefined
        react()
      },
      isEdit ? IDLE_MS : 0,
    )
  })
}

/** Requests the results that the page needs, and aborts all other requests. */
export const startRunner = (store: Store, setup: Setup, limits: OptionLimits): void => {
  const requests = openRequests(store, setup, limits)
  watchWithPauses(store, () => {
    const state = store.get()
    const needed = neededResults(state, limits)
    requests.abortOthers(keysOf(needed))
    if (state.isUnreachable) return
    for (const one of needed) {
      if (requests.count() >= MAX_REQUESTS) return
      if (!requests.has(one.key) && !state.outcomes.has(one.key)) void requests.start(one)
    }
  })
}
