import { readRiffChunks } from '../../containers/riff.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import { WEBP } from '../../core/webp-numbers.ts'

/**
 * Writes delays (in ms) into an animated WebP that was encoded with `given` ones: libvips refuses more than 65 s, the
 * format holds 4 hours. libwebp joins frames that look alike, so a frame stands for as many as its given delay adds up to.
 */
export const setWebpDelays = (webp: Buffer, given: readonly number[], delays: readonly number[]): void => {
  let frame = 0
  for (const { type, whole } of readRiffChunks(webp)) {
    if (type !== 'ANMF') continue
    let left = whole.readUIntLE(HEADER_SIZES.riffChunk + 12, 3)
    let shown = 0
    while (left > 0 && frame < given.length) {
      left -= given[frame]!
      shown += Math.round(delays[frame++]!)
    }
    whole.writeUIntLE(Math.min(WEBP.maxDelayMs, shown), HEADER_SIZES.riffChunk + 12, 3)
  }
}
