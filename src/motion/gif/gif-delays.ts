import { GIF_EXTENSION, readGifBlocks } from '../../containers/gif.ts'
import { GIF } from '../../core/gif-numbers.ts'

/**
 * Writes delays (in ms, stored in hundredths of a second) into a well-formed GIF that we encoded, one for each graphic
 * control block: libvips refuses more than 65 s, the format holds 655 s.
 */
export const setGifDelays = (gif: Buffer, delays: readonly number[]): void => {
  let frame = 0
  for (const { kind, label, whole } of readGifBlocks(gif)) {
    if (kind === 'extension' && label === GIF_EXTENSION.GRAPHIC_CONTROL)
      whole.writeUInt16LE(Math.min(65535, Math.round((delays[frame++] ?? 0) / 10)), GIF.delayAt)
  }
}
