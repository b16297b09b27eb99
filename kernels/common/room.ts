// An arena that is emptied for each image. `isShort` reports once, at the end, that an allocation failed.
import { alloc, mark, release } from './memory'

let bottom: usize = 0
/** Whether an allocation failed since `emptyRoom`. A smaller one after it may have succeeded. */
export let isShort = false

/** Releases all allocations. */
export function emptyRoom(): void {
  if (bottom == 0) bottom = mark()
  release(bottom)
  isShort = false
}

/** Allocates `bytes` at a 16-byte boundary, not cleared. Returns 0 when there is not enough memory. */
export function take(bytes: u64): usize {
  const at = bytes < 0xffff0000 ? alloc(<u32>bytes) : 0
  if (at == 0) isShort = true
  return at
}
