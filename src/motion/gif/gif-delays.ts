/** Bytes that a colour table takes, from the flags of the descriptor before it. */
const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** Where the sub-blocks that begin at `at` end. */
const afterSubBlocks = (gif: Buffer, at: number): number => {
  let next = at
  while (next < gif.length && gif[next] !== 0) next += gif[next]! + 1
  return next + 1
}

/**
 * Writes delays (in ms, stored in hundredths of a second) into a well-formed GIF that we encoded, one for each graphic
 * control block: libvips refuses more than 65 s, the format holds 655 s.
 */
export const setGifDelays = (gif: Buffer, delays: readonly number[]): void => {
  let at = 13 + tableBytes(gif[10]!)
  let frame = 0
  while (at < gif.length && gif[at] !== 0x3b) {
    if (gif[at] === 0x2c) {
      at = afterSubBlocks(gif, at + 11 + tableBytes(gif[at + 9]!))
      continue
    }
    if (gif[at + 1] === 0xf9) gif.writeUInt16LE(Math.min(65535, Math.round((delays[frame++] ?? 0) / 10)), at + 4)
    at = afterSubBlocks(gif, at + 2)
  }
}
