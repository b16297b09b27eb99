/** A Huffman code for the symbols 0..255: how many bits each takes (0: never used). */
export type CodeLengths = Uint8Array

const longest = 16

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
  type Row = { weight: Float64Array; leaf: Int16Array; size: number }
  const rows: Row[] = []
  let packages = new Float64Array(0)
  for (let level = 0; level < longest; level++) {
    const row = mergeRow(weights, packages)
    rows.push(row)
    packages = new Float64Array(row.size >> 1)
    for (let i = 0; i < packages.length; i++) packages[i] = row.weight[2 * i]! + row.weight[2 * i + 1]!
  }
  const lengths = new Array<number>(n).fill(0)
  let take = 2 * n - 2
  for (let level = longest - 1; level >= 0 && take > 0; level--) {
    const { leaf } = rows[level]!
    let merged = 0
    for (let i = 0; i < take; i++) {
      if (leaf[i]! < 0) merged++
      else lengths[leaf[i]!]!++
    }
    take = 2 * merged
  }
  return lengths
}

const mergeRow = (weights: number[], packages: Float64Array) => {
  const size = weights.length + packages.length
  const weight = new Float64Array(size)
  const leaf = new Int16Array(size)
  for (let at = 0, i = 0, j = 0; at < size; at++) {
    const takeLeaf = j >= packages.length || (i < weights.length && weights[i]! <= packages[j]!)
    weight[at] = takeLeaf ? weights[i]! : packages[j]!
    leaf[at] = takeLeaf ? i++ : -1
    if (!takeLeaf) j++
  }
  return { weight, leaf, size }
}

/** Symbols in code order: by length, then by value. */
const inOrder = (lengths: CodeLengths): number[] => {
  const symbols: number[] = []
  for (let bits = 1; bits <= longest; bits++) for (let s = 0; s < 256; s++) if (lengths[s] === bits) symbols.push(s)
  return symbols
}

/** The table as DHT carries it after its class and slot: sixteen counts, then the symbols. */
export const tableBytes = (lengths: CodeLengths): number[] => {
  const counts = new Array<number>(longest).fill(0)
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

/** Bits the symbols take with this code. */
export const codedBits = (counts: Uint32Array, lengths: CodeLengths): number => {
  let bits = 0
  for (let s = 0; s < 256; s++) bits += counts[s]! * lengths[s]!
  return bits
}

/** Bytes of the DHT segment that carries one table. */
export const segmentBytes = (lengths: CodeLengths): number =>
  21 + lengths.reduce((n, bits) => n + (bits > 0 ? 1 : 0), 0)
