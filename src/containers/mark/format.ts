/** Numbers of our mark in a result (docs/contract.md). */
export const MARK = {
  /** The version of the payload that is written. */
  version: 1,
  /** Bytes of version with level and density, loss, distance, and checksum. */
  payloadBytes: 5,
  /** Application segment of a JPEG's mark. Few programs use APP10. */
  jpegSegment: 0xea,
  /** Bytes at each end of the image data in the checksum. */
  checkedBytes: 256,
  /** Bytes at the end of a file that hold its mark and the checked bytes before it. */
  tailBytes: 256 + 64,
  /** Bytes of a `free` box with a mark at most. */
  maxFreeBytes: 15,
} as const
