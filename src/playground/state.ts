import type { Extent, Point } from '../core/image.ts'
import type { OptionLimits } from '../options/options.ts'
import type { Insight, Origin, Outcome } from './requests.ts'
import type { SnippetName } from './snippets.ts'

/** A source that the page can show. */
export interface Shown extends Extent {
  /** Address for `<img>`: a blob of the file, or the service's lossless copy. */
  readonly address: string
  /** The part inside the border that `trim=border` removes, in px, if known. */
  readonly trimmed?: Extent & { readonly left: number; readonly top: number }
}

/** One image of the user. */
export interface SourceImage {
  readonly id: number
  readonly name: string
  readonly origin: Origin
  /** Size of the source in bytes, if known. */
  readonly bytes?: number
  readonly shown?: Shown
  /** Why the source cannot be shown. */
  readonly refused?: string
}

/** State of the page. */
export interface State {
  readonly account: string
  /** Access key of the account, or empty. The page keeps it in memory only. */
  readonly accessKey: string
  /** Maximum timeout, presets and defaults of the account. */
  readonly limits: OptionLimits
  /** The typed option list. */
  readonly list: string
  readonly items: readonly SourceImage[]
  /** Id of the item on the stage. */
  readonly selected: number | undefined
  /** By {@link outcomeKey}. */
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** `performance.now()` at the start of each running request, by its key. */
  readonly running: ReadonlyMap<string, number>
  /** Detected focal points of `crop=auto`, by the same key. */
  readonly attention: ReadonlyMap<string, Point>
  /** Faces and focus by the item's id, if they were requested. */
  readonly insights: ReadonlyMap<number, Insight>
  /** Whether the page also requests other qualities and formats. */
  readonly compare: boolean
  readonly snippet: SnippetName
  /** Whether the service is unreachable. */
  readonly isUnreachable: boolean
}

/** Returns the key of a result: the id of its item and its canonical option list. */
export const outcomeKey = (id: number, list: string): string => `${id} ${list}`

/** Holds the state of the page. */
export interface Store {
  readonly get: () => State
  readonly set: (change: Partial<State>) => void
  /** Calls the listener after changes, once for all changes of a microtask. */
  readonly watch: (listener: (state: State) => void) => void
}

/** Creates the state of the page. */
export const makeStore = (initial: State): Store => {
  let state = initial
  let isScheduled = false
  const listeners: ((state: State) => void)[] = []
  const notify = (): void => {
    isScheduled = false
    for (const listener of listeners) listener(state)
  }
  return {
    get: () => state,
    set: (change) => {
      state = { ...state, ...change }
      if (isScheduled) return
      isScheduled = true
      queueMicrotask(notify)
    },
    watch: (listener) => {
      listeners.push(listener)
    },
  }
}

/** Returns the item on the stage. */
export const selectedItem = ({ items, selected }: State): SourceImage | undefined =>
  items.find(({ id }) => id === selected)

/** Changes one item. */
export const changeItem = (store: Store, id: number, change: Partial<SourceImage>): void =>
  store.set({ items: store.get().items.map((item) => (item.id === id ? { ...item, ...change } : item)) })
