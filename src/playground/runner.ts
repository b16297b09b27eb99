import type { OptionLimits } from '../options/options.ts'
import { ask, isThere, type Outcome, ServiceAway } from './ask.ts'
import type { Setup } from './setup.ts'
import type { Store } from './state.ts'
import { type Wanted, wantedResults } from './wanted.ts'

/** Requests at once: enough to keep a few cores busy, few enough that the first result is soon there. */
const AT_ONCE = 3
/** Results that are kept, so that going back to an option list shows it at once. */
const KEPT = 120
/** ms between two looks whether the service is back. */
const LOOK_AGAIN_MS = 2000

/** Keeps asking for what the page wants, and stops what it no longer wants. */
export const startRunner = (store: Store, setup: Setup, limits: OptionLimits): void => {
  const underWay = new Map<string, AbortController>()

  const showRunning = (): void => store.set({ running: new Set(underWay.keys()) })

  const keep = (key: string, outcome: Outcome): void => {
    const outcomes = new Map(store.get().outcomes).set(key, outcome)
    const wanted = new Set(wantedResults(store.get(), limits).map((one) => one.key))
    for (const [old, { ...gone }] of outcomes) {
      if (outcomes.size <= KEPT) break
      if (wanted.has(old)) continue
      outcomes.delete(old)
      if (gone.kind === 'done') URL.revokeObjectURL(gone.address)
    }
    store.set({ outcomes })
  }

  const lookAgain = async (): Promise<void> => {
    store.set({ away: true })
    while (!(await isThere(setup))) await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS))
    store.set({ away: false })
  }

  const run = async ({ key, item, list }: Wanted): Promise<void> => {
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

  const reconcile = (): void => {
    const state = store.get()
    const wanted = wantedResults(state, limits)
    const keys = new Set(wanted.map(({ key }) => key))
    for (const [key, controller] of underWay) if (!keys.has(key)) controller.abort()
    if (state.away) return
    for (const one of wanted) {
      if (underWay.size >= AT_ONCE) return
      if (!underWay.has(one.key) && !state.outcomes.has(one.key)) void run(one)
    }
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  let seen = { list: '', account: '' }
  store.watch((state) => {
    // While somebody types or drags, nothing is asked for.
    const moved = state.list !== seen.list || state.account !== seen.account
    seen = state
    if (!moved && timer !== undefined) return
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        timer = undefined
        reconcile()
      },
      moved ? 350 : 0,
    )
  })
}
