// One block in memory for the parameters of functions that take more than six: `src/support/kernel-blocks.ts` writes it before the call.

/** Bytes of the largest block, rounded up. */
const BYTES = 64
const BLOCK = memory.data(BYTES, 16)

/** The address of the block. */
export function parameterBlock(): usize {
  return BLOCK
}
