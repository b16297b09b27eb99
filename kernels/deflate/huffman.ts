// Huffman codes of limited length.

const MOST = 288
/** Symbols that are used, by count: count << 9 | symbol, u32 in order. */
const ORDER = memory.data(MOST * 4, 16)
/** Weights of leaves and inner nodes, their parents, and depths; u32. */
const WEIGHTS = memory.data(MOST * 2 * 4, 16)
const PARENTS = memory.data(MOST * 2 * 4, 16)
const DEPTHS = memory.data(MOST * 2 * 4, 16)
const OF_LENGTH = memory.data(64 * 4, 16)
const NEXT = memory.data(17 * 4, 16)

// @ts-ignore: decorator
@inline function get(at: usize, i: i32): u32 { return load<u32>(at + <usize>i * 4) }
// @ts-ignore: decorator
@inline function set(at: usize, i: i32, value: u32): void { store<u32>(at + <usize>i * 4, value) }

/** Used symbols in rising order of their counts; gives how many. */
function sortUsed(counts: usize, symbols: i32): i32 {
  let used = 0
  for (let symbol = 0; symbol < symbols; symbol++) {
    const count = get(counts, symbol)
    if (count == 0) continue
    const key = (min<u32>(count, 0x7fffff) << 9) | symbol
    let at = used
    used++
    for (; at > 0 && get(ORDER, at - 1) > key; at--) set(ORDER, at, get(ORDER, at - 1))
    set(ORDER, at, key)
  }
  return used
}

/** Depths of a Huffman tree's leaves, which lie in rising order of their weights: how many leaves have each, in OF_LENGTH. */
function countDepths(leaves: i32): void {
  for (let i = 0; i < leaves; i++) set(WEIGHTS, i, get(ORDER, i) >> 9)
  let leaf = 0
  let inner = leaves
  const nodes = 2 * leaves - 1
  for (let node = leaves; node < nodes; node++) {
    let weight: u32 = 0
    for (let side = 0; side < 2; side++) {
      const isLeaf = leaf < leaves && (inner >= node || get(WEIGHTS, leaf) <= get(WEIGHTS, inner))
      const child = isLeaf ? leaf++ : inner++
      weight += get(WEIGHTS, child)
      set(PARENTS, child, node)
    }
    set(WEIGHTS, node, weight)
  }
  memory.fill(OF_LENGTH, 0, 64 * 4)
  set(DEPTHS, nodes - 1, 0)
  for (let node = nodes - 2; node >= 0; node--) {
    const depth = get(DEPTHS, get(PARENTS, node)) + 1
    set(DEPTHS, node, depth)
    if (node < leaves) set(OF_LENGTH, min<u32>(63, depth), get(OF_LENGTH, min<u32>(63, depth)) + 1)
  }
}

/** Lifts leaves that lie deeper than `limit`, and lowers others until all fit. */
function limitDepths(limit: i32): void {
  for (let depth = limit + 1; depth < 64; depth++) set(OF_LENGTH, limit, get(OF_LENGTH, limit) + get(OF_LENGTH, depth))
  let total: u32 = 0
  for (let depth = 1; depth <= limit; depth++) total += get(OF_LENGTH, depth) << (limit - depth)
  for (; total > <u32>(1 << limit); total--) {
    set(OF_LENGTH, limit, get(OF_LENGTH, limit) - 1)
    let depth = limit - 1
    while (get(OF_LENGTH, depth) == 0) depth--
    set(OF_LENGTH, depth, get(OF_LENGTH, depth) - 1)
    set(OF_LENGTH, depth + 1, get(OF_LENGTH, depth + 1) + 2)
  }
}

/** The codes' lengths (u8, 0 for symbols that do not come) by counts (u32). One symbol alone gets one bit. */
export function codeLengths(counts: usize, symbols: i32, limit: i32, lengths: usize): void {
  memory.fill(lengths, 0, symbols)
  const used = sortUsed(counts, symbols)
  if (used == 0) return
  if (used == 1) return store<u8>(lengths + (get(ORDER, 0) & 511), 1)
  countDepths(used)
  limitDepths(limit)
  let next = used
  for (let depth = 1; depth <= limit; depth++)
    for (let i = get(OF_LENGTH, depth); i > 0; i--) {
      next--
      store<u8>(lengths + (get(ORDER, next) & 511), <u8>depth)
    }
}

function reversed(code: u32, length: i32): u32 {
  let out: u32 = 0
  for (let i = 0; i < length; i++) out |= ((code >> i) & 1) << (length - 1 - i)
  return out
}

/** Codes (u32), their first bit lowest, by lengths. */
export function codesOf(lengths: usize, symbols: i32, codes: usize): void {
  memory.fill(OF_LENGTH, 0, 64 * 4)
  for (let i = 0; i < symbols; i++) {
    const length = <i32>load<u8>(lengths + i)
    if (length > 0) set(OF_LENGTH, length, get(OF_LENGTH, length) + 1)
  }
  let code: u32 = 0
  for (let length = 1; length <= 15; length++) {
    code = (code + get(OF_LENGTH, length - 1)) << 1
    set(NEXT, length, code)
  }
  for (let i = 0; i < symbols; i++) {
    const length = <i32>load<u8>(lengths + i)
    if (length == 0) continue
    set(codes, i, reversed(get(NEXT, length), length))
    set(NEXT, length, get(NEXT, length) + 1)
  }
}
