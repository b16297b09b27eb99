// Memory: the input, the output, and of one stretch of the input its matches, costs and choices.
import { emptyRoom, isShort, take } from '../common/room'

/** Positions that are looked at together, and matches that are remembered of them, at most. */
const STRETCH: u32 = 1 << 20
const MATCHES: u32 = 1 << 21
const HASHES: u32 = 1 << 16
export const WINDOW: u32 = 1 << 15

export let size: u32 = 0
export let stretch: u32 = 0
export let mostMatches: u32 = 0
export let input: usize = 0
export let output: usize = 0
/** By hash of three and of four bytes the last position that has it; by position in the window its two subtrees; plus 1, u32. */
export let threeHeads: usize = 0
export let treeHeads: usize = 0
export let trees: usize = 0
/** By position of the stretch where its matches begin, u32; a match is length << 16 | distance, u32. */
export let offsets: usize = 0
export let matches: usize = 0
/** By position of the stretch: cost to the end of the block, u32; what is done there, a match or 0 for a literal, u32. */
export let costs: usize = 0
export let choices: usize = 0

/** Allocates memory for an input of `bytes`. Returns false when there is not enough. */
export function arrange(bytes: u32): bool {
  emptyRoom()
  size = bytes
  stretch = min(STRETCH, bytes + 1)
  mostMatches = min(MATCHES, 8 * bytes + 1024)
  // Eight beyond: matches are compared by eight bytes.
  input = take(bytes + 8)
  output = take(bytes + (bytes >> 3) + 4096)
  threeHeads = take(HASHES * 4)
  treeHeads = take(HASHES * 4)
  trees = take(WINDOW * 8)
  offsets = take((stretch + 1) * 4)
  matches = take(mostMatches * 4)
  costs = take((stretch + 1) * 4)
  choices = take((stretch + 1) * 4)
  if (isShort) return false
  memory.fill(threeHeads, 0, HASHES * 4)
  memory.fill(treeHeads, 0, HASHES * 4)
  return true
}
