import { latin1, type Pieces } from './kept.ts'

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const COMMENT = 0xfe
const APPLICATION = 0xff

const skipSubBlocks = (gif: Uint8Array, from: number): number => {
  let at = from
  while (at < gif.length && gif[at] !== 0) at += gif[at]! + 1
  return at + 1
}

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

const isLoopCount = (block: Uint8Array): boolean =>
  ['NETSCAPE2.0', 'ANIMEXTS1.0'].includes(latin1(block.subarray(3, 14)))

/** Whether an extension block says something about the pixels or the plays. */
const isNeeded = (block: Uint8Array): boolean =>
  block[1] !== COMMENT && (block[1] !== APPLICATION || isLoopCount(block))

/** A GIF without comments and foreign application blocks; the loop count stays. What follows damage, or the end, is left out. */
export function* bareGif(gif: Uint8Array): Pieces {
  let at = 13 + tableBytes(gif[10] ?? 0)
  yield gif.subarray(0, at)
  while (at < gif.length) {
    const from = at
    const kind = gif[at]
    if (kind === EXTENSION) {
      at = skipSubBlocks(gif, at + 2)
      const block = gif.subarray(from, at)
      yield isNeeded(block) ? block : new Uint8Array()
    } else if (kind === IMAGE) {
      at = skipSubBlocks(gif, at + 11 + tableBytes(gif[at + 9] ?? 0))
      yield gif.subarray(from, at)
    } else if (kind === 0) {
      // A stray terminator: decoders pass over it.
      at += 1
    } else {
      yield Uint8Array.of(TRAILER)
      return
    }
  }
}
