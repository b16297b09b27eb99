import type { OptionLimits } from '../options/options.ts'
import { ask, isThere, type Outcome, ServiceAway } from './ask.ts'
import type { Setup } from './setup.ts'
import type { State, Store } from './state.ts'
import { type Wanted, wantedResults } from './wanted.ts'

/** Requests at once: enough to keep a few cores busy, few enough that the first result is soon there. */
const AT_ONCE = 3
/** Results that are kept, so that going back to an option list shows it at once. */
const KEPT = 120
/** ms between two looks whether the service is back. */
const LOOK_AGAIN_MS = 2000

/** ms without a change of the option list after which its results are asked for. */
const PAUSE_MS = 350

/** Outcomes with one more; the oldest that nobody wants make way, and are told to `drop`. */
const keepOutcome = (
  { outcomes, wanted }: { readonly outcomes: State['outcomes']; readonly wanted: ReadonlySet<string> },
  [key, outcome]: readonly [string, Outcome],
  drop: (gone: Outcome) => void,
): State['outcomes'] => {
  const kept = new Map(outcomes).set(key, outcome)
  for (const [old, gone] of outcomes) {
    if (kept.size <= KEPT) break
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

/** The requests under way: begun one by one, ended when nobody wants their results. */
const openRequests = (store: Store, setup: Setup, limits: OptionLimits) => {
  const underWay = new Map<string, AbortController>()
  const showRunning = (): void => store.set({ running: new Set(underWay.keys()) })
  const lookAgain = async (): Promise<void> => {
    store.set({ away: true })
    while (!(await isThere(setup))) await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS))
    store.set({ away: false })
  }
  const keep = (key: string, outcome: Outcome): void => {
    const { outcomes } = store.get()
    const wanted = keysOf(wantedResults(store.get(), limits))
    store.set({ outcomes: keepOutcome({ outcomes, wanted }, [key, outcome], forget) })
  }
  const begin = async ({ key, item, list }: Wanted): Promise<void> => {
    const controller = new AbortController()
    underWay.set(key, controller)
    showRunning()
    const { account } = store.get()
    try {
      keep(key, await ask(setup, { account, list, origin: item.origin }, controller.signal))
    } catch (error) {
      if (error instanceof ServiceAway && !store.get().away) void lookAgain()
    } finally {
      underWay.delete(key)
      showRunning()
    }
  }
  const endOthers = (keys: ReadonlySet<string>): void => {
    for (const [key, controller] of underWay) if (!keys.has(key)) controller.abort()
  }
  return { begin, endOthers, has: (key: string) => underWay.has(key), count: () => underWay.size }
}

/** Calls back after each change of the page; while somebody types or drags, only when they have paused. */
const watchCalmly = (store: Store, react: () => void): void => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let seen = { list: '', account: '' }
  store.watch((state) => {
    const moved = state.list !== seen.list || state.account !== seen.account
    seen = state
    if (!moved && timer !== undefined) return
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        timer = undefined
        react()
      },
      moved ? PAUSE_MS : 0,
    )
  })
}

/** Keeps asking for what the page wants, and stops what it no longer wants. */
export const startRunner = (store: Store, setup: Setup, limits: OptionLimits): void => {
  const requests = openRequests(store, setup, limits)
  watchCalmly(store, () => {
    const state = store.get()
    const wanted = wantedResults(state, limits)
    requests.endOthers(keysOf(wanted))
    if (state.away) return
    for (const one of wanted) {
      if (requests.count() >= AT_ONCE) return
      if (!requests.has(one.key) && !state.outcomes.has(one.key)) void requests.begin(one)
    }
  })
}
