import { HEADER_SIZES } from '../core/header-sizes.ts'

/** Container boxes of those with times (ISO/IEC 14496-12). */
const HOLDERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia'])
const TIMED: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd'])

/** Bytes of creation and modification times after version and flags: 32 bits each, or 64 in version 1. */
const timeBytes = (version: number | undefined): number => (version === 1 ? 16 : 8)

/**
 * Sets creation and modification times in an MP4 file to 0, in place, from `from` to `to`. Times are private, and without them equal work
 * gives equal bytes. Stops at the first thing that is no box.
 */
export const clearMp4Times = (mp4: Buffer, from = 0, to = mp4.length): void => {
  for (let at = from; at + HEADER_SIZES.box <= to; ) {
    const end = at + mp4.readUInt32BE(at)
    if (end < at + HEADER_SIZES.box || end > to) return
    const content = at + HEADER_SIZES.box
    const type = mp4.toString('latin1', at + 4, content)
    if (HOLDERS.has(type)) clearMp4Times(mp4, content, end)
    if (TIMED.has(type)) mp4.fill(0, content + 4, Math.min(end, content + 4 + timeBytes(mp4[content])))
    at = end
  }
}
