import { JPEG } from '../../core/jpeg-numbers.ts'

/** A Huffman code for the symbols 0..255: how many bits each takes (0: never used). */
export type CodeLengths = Uint8Array

/**
 * The cheapest code lengths for `counts`, none above 16 bits and the code of all ones left free (T.81 K.2 asks both).
 * Package-merge: sixteen times, pair what is cheapest and merge it with the symbols.
 */
export const codeLengths = (counts: Uint32Array): CodeLengths => {
  const lengths = new Uint8Array(256)
  const symbols: number[] = []
  for (let s = 0; s < 256; s++) if (counts[s]! > 0) symbols.push(s)
  if (symbols.length === 0) return lengths
  // One more symbol of count 0 takes the code of all ones; sorted first, it is among the longest.
  symbols.sort((a, b) => counts[a]! - counts[b]!)
  const weights = [0, ...symbols.map((s) => counts[s]!)]
  for (const [i, used] of packageMerge(weights).entries()) if (i > 0) lengths[symbols[i - 1]!] = used
  return lengths
}

/** For ascending weights: how often each is in the cheapest 2n-2 packages, which is its code length. */
const packageMerge = (weights: number[]): number[] => {
  const n = weights.length
  let size = 0
  for (const leaves of LEAVES_BY_LEVEL) {
    size = mergeRow(weights, size >> 1, leaves)
    for (let i = 0; 2 * i + 1 < size; i++) PACKAGES[i] = ROW[2 * i]! + ROW[2 * i + 1]!
  }
  const lengths = new Array<number>(n).fill(0)
  let take = 2 * n - 2
  for (let level = JPEG.maxCodeBits - 1; level >= 0 && take > 0; level--) {
    const leaves = LEAVES_BY_LEVEL[level]!
    let merged = 0
    for (let i = 0; i < take; i++) {
      if (leaves[i]! < 0) merged++
      else lengths[leaves[i]!]!++
    }
    take = 2 * merged
  }
  return lengths
}

/** Room for package-merge: a level's weights, what becomes of them in pairs, and which leaf each is at each level (-1: a package). */
const MAX_ITEMS = 2 * JPEG.maxSymbols
const ROW = new Float64Array(MAX_ITEMS)
const PACKAGES = new Float64Array(MAX_ITEMS)
const LEAVES_BY_LEVEL = Array.from({ length: JPEG.maxCodeBits }, () => new Int16Array(MAX_ITEMS))

/** Merges the leaves with the first `n` of PACKAGES into ROW by weight; gives how many that are. */
const mergeRow = (weights: number[], n: number, leaves: Int16Array): number => {
  const size = weights.length + n
  for (let at = 0, i = 0, j = 0; at < size; at++) {
    const takeLeaf = j >= n || (i < weights.length && weights[i]! <= PACKAGES[j]!)
    ROW[at] = takeLeaf ? weights[i]! : PACKAGES[j]!
    leaves[at] = takeLeaf ? i++ : -1
    if (!takeLeaf) j++
  }
  return size
}

/** Symbols in code order: by length, then by value. */
const inOrder = (lengths: CodeLengths): number[] => {
  const byLength = Array.from({ length: JPEG.maxCodeBits + 1 }, (): number[] => [])
  for (let s = 0; s < 256; s++) if (lengths[s]! > 0) byLength[lengths[s]!]!.push(s)
  return byLength.flat()
}

/** The table as DHT carries it after its class and slot: sixteen counts, then the symbols. */
export const tableBytes = (lengths: CodeLengths): number[] => {
  const counts = new Array<number>(JPEG.maxCodeBits).fill(0)
  for (const bits of lengths) if (bits > 0) counts[bits - 1]!++
  return [...counts, ...inOrder(lengths)]
}

/** Fills `into` with code << 8 | length for each symbol: what the kernel writes with. */
export const fillCodes = (lengths: CodeLengths, into: Uint32Array): void => {
  into.fill(0)
  let code = 0
  let bits = 0
  for (const s of inOrder(lengths)) {
    code <<= lengths[s]! - bits
    bits = lengths[s]!
    into[s] = (code++ << 8) | bits
  }
}

/** Cost of a table made for `counts`: bits of all symbols, and bytes of the DHT segment (0 without symbols). */
export const codeCost = (counts: Uint32Array): { bits: number; bytes: number } => {
  let n = 0
  for (let s = 0; s < 256; s++) if (counts[s]! > 0) LEAVES[n++] = counts[s]!
  if (n === 0) return { bits: 0, bytes: 0 }
  const sorted = LEAVES.subarray(0, n).sort()
  const bytes = 21 + n
  const bits = huffmanBits(sorted)
  if (bits !== undefined) return { bits, bytes }
  const lengths = codeLengths(counts)
  return { bits: counts.reduce((sum, count, s) => sum + count * lengths[s]!, 0), bytes }
}

const LEAVES = new Float64Array(256)
const NODES = new Float64Array(257)
const DEPTHS = new Uint8Array(257)

/**
 * Bits of Huffman's own code for ascending weights and the symbol of count 0 (see `codeLengths`), which costs the same as any other best
 * code; undefined where it is longer than allowed. Two queues: what is cheapest is at the head of the leaves or of the nodes.
 */
const huffmanBits = (sorted: Float64Array): number | undefined => {
  const n = sorted.length + 1
  let [leaf, node, bits] = [-1, 0, 0]
  for (let nodes = 0; nodes < n - 1; nodes++) {
    let weight = 0
    let depth = 0
    for (let i = 0; i < 2; i++) {
      const own = leaf < 0 ? 0 : leaf < n - 1 ? sorted[leaf]! : Number.POSITIVE_INFINITY
      if (node >= nodes || own <= NODES[node]!) {
        weight += own
        leaf++
      } else {
        weight += NODES[node]!
        depth = Math.max(depth, DEPTHS[node]!)
        node++
      }
    }
    NODES[nodes] = weight
    DEPTHS[nodes] = depth + 1
    bits += weight
  }
  return DEPTHS[n - 2]! > JPEG.maxCodeBits ? undefined : bits
}
