import { GIF_BLOCK, GIF_EXTENSION, type GifBlock, gifBlocksStart, isLoopExtension, readGifBlocks } from '../gif.ts'
import type { Pieces } from './kept.ts'

/** Whether a block affects pixels or the number of plays. */
const isNeeded = ({ kind, label, whole }: GifBlock): boolean =>
  kind === 'image' ||
  (label !== GIF_EXTENSION.COMMENT &&
    (label !== GIF_EXTENSION.APPLICATION || isLoopExtension(whole.toString('latin1', 3, 14))))

/** A GIF without comments and foreign application blocks. The loop count stays. Drops everything after damage or the end. */
export function* bareGif(gif: Uint8Array): Pieces {
  yield gif.subarray(0, gifBlocksStart(gif))
  for (const block of readGifBlocks(gif)) yield isNeeded(block) ? block.whole : new Uint8Array()
  yield Uint8Array.of(GIF_BLOCK.TRAILER)
}
