// Room for one thing after another, all of it anew for each: whether some part was not to be had is asked once at the end.
import { alloc, mark, release } from './memory'

let bottom: usize = 0
/** Whether some part was not to be had: a smaller one after it may be. */
export let isShort = false

/** Forgets all that was taken. */
export function emptyRoom(): void {
  if (bottom == 0) bottom = mark()
  release(bottom)
  isShort = false
}

/** So many bytes at a 16-byte boundary, not cleared; 0 where memory does not suffice. */
export function take(bytes: u64): usize {
  const at = bytes < 0xffff0000 ? alloc(<u32>bytes) : 0
  if (at == 0) isShort = true
  return at
}
