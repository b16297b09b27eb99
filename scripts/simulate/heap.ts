/** Something that happens at a time, in seconds since the start of the day. */
export interface Event {
  readonly at: number
  readonly happen: () => void
}

/** Events in the order of their time: a binary heap. */
export interface Agenda {
  readonly add: (event: Event) => void
  readonly next: () => Event | undefined
}

/** Makes an empty agenda. */
export const makeAgenda = (): Agenda => {
  const heap: Event[] = []
  const swap = (a: number, b: number): void => {
    const kept = heap[a]!
    heap[a] = heap[b]!
    heap[b] = kept
  }
  const rise = (from: number): void => {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (heap[parent]!.at <= heap[at]!.at) return
      swap(at, parent)
      at = parent
    }
  }
  const sink = (): void => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const right = left + 1
      let first = at
      if (left < heap.length && heap[left]!.at < heap[first]!.at) first = left
      if (right < heap.length && heap[right]!.at < heap[first]!.at) first = right
      if (first === at) return
      swap(at, first)
      at = first
    }
  }
  return {
    add: (event) => {
      heap.push(event)
      rise(heap.length - 1)
    },
    next: () => {
      const [first] = heap
      const last = heap.pop()
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last
        sink()
      }
      return first
    },
  }
}
