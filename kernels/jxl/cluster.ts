// Clusters histograms that are alike, so that they share one distribution (JPEG XL allows 128): seeds that are far apart, each histogram with the nearest,
// pairs of clusters merged while sharing a distribution costs less than a second one, then each histogram moved to where it takes the fewest bits.

/** Maximum number of clusters: a byte numbers them, and a decoder's tables should stay in its cache. */
const MAX_CLUSTERS: i32 = 128
/** Bits by which a histogram must differ from every seed to become another: about what a distribution takes. */
const MIN_DISTANCE: f64 = 48
/** Numbers in a histogram below which it never differs by a distribution's bits, and is no seed. */
const MIN_SEED: u32 = 16
/** Bits of a distribution: of its form, and of each symbol that it has. */
const FORM_BITS: f64 = 10
const SYMBOL_BITS: f64 = 5.5
/** Bits of a context's cluster in the map, where it is that of the context before it, and where it is not. */
const SAME_BITS: f32 = 0.7
const OTHER_BITS: f32 = 5

/** n log2 n of n below TABLE_SIZE. */
const TABLE_SIZE: u32 = 8192
const TABLE: usize = memory.data(8192 * 8, 16)
let isFilled: bool = false

function fillTable(): void {
  if (isFilled) return
  for (let n: u32 = 1; n < TABLE_SIZE; n++) store<f64>(TABLE + (<usize>n << 3), <f64>n * Math.log2(n))
  store<f64>(TABLE, 0)
  isFilled = true
}

// @ts-ignore: decorator
@inline function nLogN(n: u32): f64 {
  return n < TABLE_SIZE ? load<f64>(TABLE + (<usize>n << 3)) : <f64>n * Math.log2(n)
}

/** Arguments of `clusterHistograms`, laid out by `src/jxl/entropy/cluster.ts`. */
@unmanaged
class Clustering {
  /** Histograms, and symbols of each. */
  length: i32
  size: i32
  /** u32 by histogram and symbol, and their sums by histogram. */
  counts: usize
  totals: usize
  /** i32 by histogram: one more than its last symbol. */
  ends: usize
  /** i32 by histogram: its cluster; zero at first. */
  owners: usize
  /** f64 by histogram. */
  distances: usize
  /** u32 by cluster and symbol, and their sums by cluster. */
  clusterCounts: usize
  clusterTotals: usize
  /** f32 by cluster and symbol: bits of the symbol. */
  costs: usize
  /** By cluster: f64, the bits that its best merge saves; i32, the cluster of that merge; i32, which cluster it has become part of. */
  gains: usize
  partners: usize
  into: usize
}

// @ts-ignore: decorator
@inline function wordAt(at: usize, index: i32): u32 { return load<u32>(at + (<usize>index << 2)) }

// @ts-ignore: decorator
@inline function setWord(at: usize, index: i32, value: u32): void { store<u32>(at + (<usize>index << 2), value) }

/** Bits more that two histograms take when they share one distribution; symbols from `end` on are absent in the first. */
function distance(a: usize, aTotal: u32, end: i32, b: usize, bTotal: u32): f64 {
  let bits = nLogN(aTotal + bTotal) - nLogN(aTotal) - nLogN(bTotal)
  for (let s = 0; s < end; s++) {
    const own = wordAt(a, s)
    const other = wordAt(b, s)
    if (own > 0 && other > 0) bits += nLogN(own) + nLogN(other) - nLogN(own + other)
  }
  return bits
}

// @ts-ignore: decorator
@inline function rowOf(counts: usize, index: i32, size: i32): usize { return counts + <usize>(index * size) * 4 }

/** Lowers each histogram's distance to that from `seed`, whose cluster becomes `cluster` where it is nearer. Returns the farthest histogram. */
function nearSeed(all: Clustering, seed: i32, cluster: i32): i32 {
  const from = rowOf(all.counts, seed, all.size)
  const total = wordAt(all.totals, seed)
  let farthest = 0
  for (let i = 0; i < all.length; i++) {
    const at = all.distances + (<usize>i << 3)
    const known = load<f64>(at)
    if (known > 0) {
      const end = <i32>wordAt(all.ends, i)
      const own = i == seed ? 0 : distance(rowOf(all.counts, i, all.size), wordAt(all.totals, i), end, from, total)
      if (own < known) {
        store<f64>(at, max(0, own))
        setWord(all.owners, i, cluster)
      }
    }
    if (load<f64>(at) > load<f64>(all.distances + (<usize>farthest << 3))) farthest = i
  }
  return farthest
}

/** Finds seeds, each the farthest from those before it, and gives every histogram of MIN_SEED numbers the nearest. Returns how many. */
function seed(all: Clustering): i32 {
  let next = 0
  for (let i = 0; i < all.length; i++) {
    const total = wordAt(all.totals, i)
    store<f64>(all.distances + (<usize>i << 3), total < MIN_SEED ? 0 : Infinity)
    if (total > wordAt(all.totals, next)) next = i
  }
  setWord(all.owners, next, 0)
  let clusters = 0
  do next = nearSeed(all, next, clusters++)
  while (clusters < MAX_CLUSTERS && load<f64>(all.distances + (<usize>next << 3)) >= MIN_DISTANCE)
  return clusters
}

function join(all: Clustering, cluster: i32, counts: usize, total: u32): void {
  const to = rowOf(all.clusterCounts, cluster, all.size)
  for (let s = 0; s < all.size; s++) setWord(to, s, wordAt(to, s) + wordAt(counts, s))
  setWord(all.clusterTotals, cluster, wordAt(all.clusterTotals, cluster) + total)
}

/** Bits saved by one distribution for two clusters. */
function gainOf(all: Clustering, a: i32, b: i32): f64 {
  const one = rowOf(all.clusterCounts, a, all.size)
  const other = rowOf(all.clusterCounts, b, all.size)
  let shared = 0
  for (let s = 0; s < all.size; s++) if (wordAt(one, s) > 0 && wordAt(other, s) > 0) shared++
  const more = distance(one, wordAt(all.clusterTotals, a), all.size, other, wordAt(all.clusterTotals, b))
  return FORM_BITS + SYMBOL_BITS * shared - more
}

// @ts-ignore: decorator
@inline function isAlive(all: Clustering, cluster: i32): bool { return wordAt(all.into, cluster) == cluster }

/** Finds the best merge of a cluster with a later one. */
function findPartner(all: Clustering, cluster: i32, clusters: i32): void {
  let best: f64 = 0
  let partner = -1
  for (let other = cluster + 1; other < clusters; other++) {
    if (!isAlive(all, other)) continue
    const gain = gainOf(all, cluster, other)
    if (gain > best) {
      best = gain
      partner = other
    }
  }
  store<f64>(all.gains + (<usize>cluster << 3), best)
  setWord(all.partners, cluster, partner)
}

/** After `first` has grown: compares it with an earlier cluster, whose partner it may become. */
function comparePartner(all: Clustering, cluster: i32, first: i32): void {
  const gain = gainOf(all, cluster, first)
  const at = all.gains + (<usize>cluster << 3)
  if (gain <= load<f64>(at)) return
  store<f64>(at, gain)
  setWord(all.partners, cluster, first)
}

/** Merges the two clusters that gain most by it until none does. */
function merge(all: Clustering, clusters: i32): void {
  for (let c = 0; c < clusters; c++) setWord(all.into, c, c)
  for (let c = 0; c < clusters; c++) findPartner(all, c, clusters)
  for (;;) {
    let first = -1
    let best: f64 = 0
    for (let c = 0; c < clusters; c++) {
      const gain = load<f64>(all.gains + (<usize>c << 3))
      if (!isAlive(all, c) || gain <= best) continue
      first = c
      best = gain
    }
    if (first < 0) return
    const second = <i32>wordAt(all.partners, first)
    join(all, first, rowOf(all.clusterCounts, second, all.size), wordAt(all.clusterTotals, second))
    for (let c = 0; c < clusters; c++) if (wordAt(all.into, c) == second) setWord(all.into, c, first)
    for (let c = 0; c < clusters; c++) {
      if (!isAlive(all, c)) continue
      const partner = <i32>wordAt(all.partners, c)
      if (c == first || partner == first || partner == second) findPartner(all, c, clusters)
      else if (c < first) comparePartner(all, c, first)
    }
  }
}

/** Works out the bits of each symbol by cluster; a symbol that a cluster lacks costs what half a count would. */
function measureCosts(all: Clustering, clusters: i32): void {
  for (let c = 0; c < clusters; c++) {
    const counts = rowOf(all.clusterCounts, c, all.size)
    const costs = rowOf(all.costs, c, all.size)
    const bits = Math.log2(<f64>wordAt(all.clusterTotals, c) + 1)
    for (let s = 0; s < all.size; s++) {
      const count = wordAt(counts, s)
      store<f32>(costs + (<usize>s << 2), <f32>(bits - Math.log2(count == 0 ? 0.5 : <f64>count)))
    }
  }
}

/** Moves each histogram to the cluster where it and its entry in the map take the fewest bits. */
function settle(all: Clustering, clusters: i32): void {
  let before = -1
  for (let i = 0; i < all.length; i++) {
    const counts = rowOf(all.counts, i, all.size)
    const end = <i32>wordAt(all.ends, i)
    let nearest = 0
    let least: f32 = Infinity
    for (let c = 0; c < clusters; c++) {
      if (!isAlive(all, c)) continue
      const costs = rowOf(all.costs, c, all.size)
      let bits = c == before ? SAME_BITS : OTHER_BITS
      for (let s = 0; s < end && bits < least; s++) bits += <f32>wordAt(counts, s) * load<f32>(costs + (<usize>s << 2))
      if (bits < least) {
        nearest = c
        least = bits
      }
    }
    setWord(all.owners, i, nearest)
    before = nearest
  }
}

/** Clusters histograms; `owners` says which belong together. Counts and totals of clusters have to be zero. */
export function clusterHistograms(all: Clustering): void {
  fillTable()
  const clusters = seed(all)
  for (let i = 0; i < all.length; i++) {
    const total = wordAt(all.totals, i)
    if (total >= MIN_SEED || clusters == 1) join(all, <i32>wordAt(all.owners, i), rowOf(all.counts, i, all.size), total)
  }
  merge(all, clusters)
  measureCosts(all, clusters)
  settle(all, clusters)
}
