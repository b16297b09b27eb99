/** Numbers of GIF (GIF89a, section behind each). */
export const GIF = {
  /** Bytes of a block of data at most (15). */
  maxBlockBytes: 255,
  /** Colours of a table at most (18 and 21). */
  maxColours: 256,
  /** Bits of an LZW code at most (appendix F). */
  maxCodeBits: 12,
  /** Offset of the delay in a graphic control extension, after introducer, label, length and flags (23). */
  delayAt: 4,
} as const
