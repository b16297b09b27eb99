// Memory of a kernel whose instance works on one thing at a time: blocks are bumped off the top and released in stack order.

let top: usize = (__heap_base + 15) & ~15

/** Gives `bytes` of memory at a 16-byte boundary, or 0 when the 4 GB are used up. Not cleared when it was used before. */
export function alloc(bytes: u32): usize {
  const at = top
  const end = (<u64>at + <u64>bytes + 15) & ~15
  if (end > 0xffff0000) return 0
  const pages = <i32>((end + 0xffff) >> 16)
  const more = pages - memory.size()
  if (more > 0 && memory.grow(more) < 0) return 0
  top = <usize>end
  return at
}

/** The present top, to be handed to `release` later. */
export function mark(): usize {
  return top
}

/** Forgets everything allocated since `mark` gave `to`. */
export function release(to: usize): void {
  top = to
}

/** Clears `bytes` at `at`. */
export function clear(at: usize, bytes: u32): void {
  memory.fill(at, 0, bytes)
}
