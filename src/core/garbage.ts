import { setFlagsFromString } from 'node:v8'

/**
 * Tells V8 when to collect all garbage. It counts memory outside its heap, such as the kernels' and bodies of requests, against a limit made
 * for smaller things, and collected after every third photograph in a child, after every fourth request in the server; with this flag
 * it counts against the heap's own limit. `growth` is by how many per cent heap and outside memory may grow from one collection to the
 * next, for a process in which little lives long; V8's own choice when absent. V8 13 alone (Node 24): others may not know the flags.
 */
export const collectLess = (growth?: number): void => {
  if (!process.versions.v8.startsWith('13.')) return
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  if (growth !== undefined) setFlagsFromString(`--heap-growing-percent=${growth}`)
}
