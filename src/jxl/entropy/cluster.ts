/** Clusters contexts whose numbers are distributed alike, so that they share one distribution: `kernels/jxl/cluster.ts` says how. */
import { TOKEN } from '../format-numbers.ts'
import { allocateIn, type JxlKernel, place, withKernel } from '../kernel.ts'

/** Counts of symbols by context: `size` numbers each. */
export interface Histograms {
  readonly size: number
  readonly contexts: number
  readonly counts: Uint32Array
}

/** Cluster of each context, from 0 in order of first use, and the counts of each. */
export interface Clusters {
  readonly contextMap: Uint8Array
  readonly counts: readonly Uint32Array[]
}

/** The contexts in which anything was counted: their counts, sums and ends. */
const usedOf = ({ size, contexts, counts }: Histograms) => {
  const used: number[] = []
  const totals: number[] = []
  const ends: number[] = []
  for (let context = 0; context < contexts; context++) {
    let total = 0
    let end = 0
    for (let s = 0; s < size; s++) {
      const count = counts[context * size + s]!
      total += count
      if (count > 0) end = s + 1
    }
    if (total === 0) continue
    used.push(context)
    totals.push(total)
    ends.push(end)
  }
  const rows = new Uint32Array(used.length * size)
  used.forEach((context, i) => {
    rows.set(counts.subarray(context * size, (context + 1) * size), i * size)
  })
  return { used, rows, totals: Uint32Array.from(totals), ends: Uint32Array.from(ends) }
}

type Used = ReturnType<typeof usedOf>

/** The cluster of each used context. */
const ownersOf = (kernel: JxlKernel, { used, rows, totals, ends }: Used, size: number): Uint32Array => {
  const owners = place(kernel, new Uint32Array(used.length))
  const clusterCounts = place(kernel, new Uint32Array(TOKEN.maxClusters * size))
  const clusterTotals = place(kernel, new Uint32Array(TOKEN.maxClusters))
  const [counts, sums, lasts] = [rows, totals, ends].map((values) => place(kernel, values)) as [number, number, number]
  const distances = allocateIn(kernel, used.length * 8)
  const costs = allocateIn(kernel, TOKEN.maxClusters * size * 4)
  const [gains, partners, into] = [8, 4, 4].map((bytes) => allocateIn(kernel, TOKEN.maxClusters * bytes)) as [
    number,
    number,
    number,
  ]
  const fields = [used.length, size, counts, sums, lasts, owners, distances, clusterCounts, clusterTotals, costs]
  kernel.clusterHistograms(place(kernel, Uint32Array.from([...fields, gains, partners, into])))
  return new Uint32Array(kernel.memory.buffer, owners, used.length).slice()
}

/** Clusters the contexts of which anything was counted; the others go with the context before them. */
export const clusterContexts = (histograms: Histograms): Clusters => {
  const { contexts, size } = histograms
  const all = usedOf(histograms)
  if (all.used.length === 0) return { contextMap: new Uint8Array(contexts), counts: [new Uint32Array(size)] }
  return numbered(
    histograms,
    all.used,
    withKernel((kernel) => ownersOf(kernel, all, size)),
  )
}

/** Numbers the clusters in order of their first context. */
const numbered = ({ size, contexts, counts }: Histograms, used: readonly number[], owners: Uint32Array): Clusters => {
  const numbers = new Map<number, number>()
  const contextMap = new Uint8Array(contexts)
  const sums: Uint32Array[] = []
  let current = 0
  let next = 0
  for (let context = 0; context < contexts; context++) {
    if (used[next] === context) {
      const owner = owners[next++]!
      if (!numbers.has(owner)) {
        numbers.set(owner, sums.length)
        sums.push(new Uint32Array(size))
      }
      current = numbers.get(owner)!
      const sum = sums[current]!
      for (let s = 0; s < size; s++) sum[s]! += counts[context * size + s]!
    }
    contextMap[context] = current
  }
  return { contextMap, counts: sums }
}
