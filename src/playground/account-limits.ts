import { IDLE_MS } from '../core/intervals.ts'
import type { OptionLimits } from '../options/options.ts'
import { authorization, type Caller } from './requests.ts'
import type { Setup } from './setup.ts'
import type { Store } from './state.ts'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Parses the response of `/-/account/<username>` (§6.2). Returns undefined if it is invalid. */
export const readLimits = (response: unknown): OptionLimits | undefined => {
  if (!isRecord(response)) return undefined
  const { maxTimeout, meta, presets } = response
  if (typeof maxTimeout !== 'number' || (meta !== 'none' && meta !== 'copyright') || !isRecord(presets))
    return undefined
  const lists = Object.entries(presets).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { maxTimeout, defaultMeta: meta, presets: new Map(lists) }
}

const requestLimits = async (setup: Setup, caller: Caller): Promise<OptionLimits | undefined> => {
  const headers = authorization(caller)
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(`${setup.path}/-/account/${encodeURIComponent(caller.account)}`, { headers, signal })
  return response.ok ? readLimits(await response.json()) : undefined
}

/** Requests the presets and defaults when the account changes, and stores them in the state. */
export const followAccount = (store: Store, setup: Setup): void => {
  const defaults: OptionLimits = { maxTimeout: setup.maxTimeout }
  let latest = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  store.watch(({ account, accessKey }) => {
    const key = JSON.stringify([account, accessKey])
    if (key === latest) return
    latest = key
    clearTimeout(timer)
    store.set({ limits: defaults })
    if (account === '' || account === setup.account) return
    timer = setTimeout(async () => {
      const limits = await requestLimits(setup, { account, accessKey }).catch(() => undefined)
      if (key === latest && limits !== undefined) store.set({ limits })
    }, IDLE_MS)
  })
}
