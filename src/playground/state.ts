import type { Extent, Point } from '../core/image.ts'
import type { Insight, Origin, Outcome } from './ask.ts'
import type { SnippetName } from './snippets.ts'

/** A source as the page shows it. */
export interface Shown extends Extent {
  /** Address that an `<img>` can load: a blob of the file, or what the service made of it without loss. */
  readonly address: string
  /** What `trim=border` would leave, where it was looked for. */
  readonly trimmed?: Extent & { readonly left: number; readonly top: number }
}

/** One image that is tried out. */
export interface TriedImage {
  readonly id: number
  readonly name: string
  readonly origin: Origin
  /** Bytes of the source, once they are known. */
  readonly bytes?: number
  readonly shown?: Shown
  /** Why it cannot even be shown. */
  readonly refused?: string
}

export interface State {
  readonly account: string
  /** The option list as it was typed. */
  readonly list: string
  readonly items: readonly TriedImage[]
  /** Id of the item on the stage. */
  readonly selected: number | undefined
  /** By {@link outcomeKey}. */
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** Keys of the requests under way. */
  readonly running: ReadonlySet<string>
  /** Where `crop=auto` was seen to be, by the same key. */
  readonly attention: ReadonlyMap<string, Point>
  /** Faces and focus by an item's id, where they were asked for. */
  readonly insights: ReadonlyMap<number, Insight>
  /** Whether other qualities and formats are made as well. */
  readonly compare: boolean
  readonly snippet: SnippetName
  /** The service does not answer. */
  readonly away: boolean
}

/** Name of one result: an item, and the canonical option list. */
export const outcomeKey = (id: number, list: string): string => `${id} ${list}`

export interface Store {
  readonly get: () => State
  readonly set: (change: Partial<State>) => void
  /** Calls back after changes, once for all of one turn. */
  readonly watch: (listener: (state: State) => void) => void
}

/** Keeps the state of the page. */
export const makeStore = (initial: State): Store => {
  let state = initial
  let due = false
  const listeners: ((state: State) => void)[] = []
  const tell = (): void => {
    due = false
    for (const listener of listeners) listener(state)
  }
  return {
    get: () => state,
    set: (change) => {
      state = { ...state, ...change }
      if (due) return
      due = true
      queueMicrotask(tell)
    },
    watch: (listener) => {
      listeners.push(listener)
    },
  }
}

export const selectedItem = ({ items, selected }: State): TriedImage | undefined =>
  items.find(({ id }) => id === selected)

/** Changes one item. */
export const changeItem = (store: Store, id: number, change: Partial<TriedImage>): void =>
  store.set({ items: store.get().items.map((item) => (item.id === id ? { ...item, ...change } : item)) })
