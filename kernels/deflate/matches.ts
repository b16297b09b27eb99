// Finds for each position every length that repeats, each at its nearest distance: in binary trees of what begins with the same
// four bytes, sorted by what follows, the latest at the root (as LZMA and libdeflate do).
import { LONGEST, SHORTEST } from './symbols'
import { WINDOW, input, matches, mostMatches, offsets, size, stretch, threeHeads, treeHeads, trees } from './layout'

/** Before this position nothing is looked for: a match long enough lies over it. */
let covered: u32 = 0
let found: u32 = 0

export function restartMatches(): void { covered = 0 }

// @ts-ignore: decorator
@inline function hash(bytes: u32): usize { return <usize>((bytes * 0x9e3779b1) >>> 16) * 4 }
/** Subtrees of what sorts before and after a position's bytes; position + 1, 0 for none. */
// @ts-ignore: decorator
@inline function before(position: u32): usize { return trees + <usize>(position & (WINDOW - 1)) * 8 }
// @ts-ignore: decorator
@inline function after(position: u32): usize { return before(position) + 4 }

function extend(from: usize, at: usize, length: i32, most: i32): i32 {
  while (length + 8 <= most) {
    const difference = load<u64>(from + length) ^ load<u64>(at + length)
    if (difference != 0) return length + <i32>(ctz<u64>(difference) >> 3)
    length += 8
  }
  while (length < most && load<u8>(from + length) == load<u8>(at + length)) length++
  return length
}

// @ts-ignore: decorator
@inline function remember(length: i32, distance: u32): void {
  store<u32>(matches + <usize>found * 4, (<u32>length << 16) | distance)
  found++
}

/** The nearest three bytes that are alike: a match of three, if there is one. */
// @ts-ignore: decorator
@inline function findThree(at: u32, wanted: bool): i32 {
  const bytes = load<u32>(input + at) & 0xffffff
  const head = threeHeads + hash(bytes)
  const last = load<u32>(head)
  store<u32>(head, at + 1)
  if (!wanted || last == 0 || at + 1 - last >= WINDOW || (load<u32>(input + last - 1) & 0xffffff) != bytes) return SHORTEST - 1
  remember(SHORTEST, at + 1 - last)
  return SHORTEST
}

/** Puts a position into its tree, and remembers longer and longer matches on the way down if they are wanted; gives the longest length. */
function descend(at: u32, depth: i32, nice: i32, wanted: bool, shortest: i32): i32 {
  const here = input + at
  const head = treeHeads + hash(load<u32>(here))
  let node = load<u32>(head)
  store<u32>(head, at + 1)
  let toBefore = before(at)
  let toAfter = after(at)
  let best = shortest
  let length = 0
  let ofBefore = 0
  let ofAfter = 0
  for (; depth > 0; depth--) {
    if (node == 0 || at + 1 - node >= WINDOW) break
    const position = node - 1
    const there = input + position
    if (load<u8>(there + length) == load<u8>(here + length)) {
      length = extend(there, here, length + 1, nice)
      if (length > best) {
        best = length
        if (wanted) remember(length, at - position)
      }
      if (length >= nice) {
        store<u32>(toBefore, load<u32>(before(position)))
        store<u32>(toAfter, load<u32>(after(position)))
        return best
      }
    }
    if (load<u8>(there + length) < load<u8>(here + length)) {
      store<u32>(toBefore, node)
      toBefore = after(position)
      node = load<u32>(toBefore)
      ofBefore = length
      length = min(length, ofAfter)
    } else {
      store<u32>(toAfter, node)
      toAfter = before(position)
      node = load<u32>(toAfter)
      ofAfter = length
      length = min(length, ofBefore)
    }
  }
  store<u32>(toBefore, 0)
  store<u32>(toAfter, 0)
  return best
}

/**
 * Remembers the matches of positions from `from` on, as many as there is room for; gives the position behind the last of them.
 * At most `depth` places are compared with each, and a match of `nice` bytes (258 at most) ends the search there and under it.
 */
export function findMatches(from: u32, depth: i32, nice: i32): u32 {
  const stop = min(size, from + stretch)
  found = 0
  let at = from
  for (; at < stop; at++) {
    if (found + LONGEST > mostMatches) break
    store<u32>(offsets + <usize>(at - from) * 4, found)
    const most = <i32>min<u32>(<u32>nice, size - at)
    if (most < 5) continue
    const wanted = at >= covered
    const best = descend(at, depth, most, wanted, findThree(at, wanted))
    if (wanted && best >= nice) covered = at + lengthAt()
  }
  store<u32>(offsets + <usize>(at - from) * 4, found)
  return at
}

/** Length of the match that was remembered last. */
function lengthAt(): u32 { return load<u32>(matches + <usize>(found - 1) * 4) >> 16 }
