import { STALE_SECONDS } from './delivery-cache.ts'

/** Sources whose servers did not answer lately, by the names of their records. */
export interface AwaySources {
  readonly has: (name: string) => boolean
  readonly add: (name: string) => void
}

interface Settings {
  /** The oldest goes when there are more. */
  readonly max?: number
  /** Milliseconds. */
  readonly now?: () => number
}

/** Remembers each source for as long as its stale result is served: its server is not asked again before. */
export const openAwaySources = ({ max = 10_000, now = () => performance.now() }: Settings = {}): AwaySources => {
  const until = new Map<string, number>()
  return {
    has: (name) => (until.get(name) ?? 0) > now(),
    add: (name) => {
      until.delete(name)
      until.set(name, now() + STALE_SECONDS * 1000)
      const [oldest] = until.keys()
      if (until.size > max && oldest !== undefined) until.delete(oldest)
    },
  }
}
