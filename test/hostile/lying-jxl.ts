/** Bits of a JPEG XL codestream, the lowest of each byte first (ISO/IEC 18181-1, annex B). */
const toBits = (bytes: Uint8Array): number[] =>
  Array.from({ length: bytes.length * 8 }, (_, i) => (bytes[i >> 3]! >> (i & 7)) & 1)

const toBytes = (bits: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  for (const [i, bit] of bits.entries()) bytes[i >> 3] = bytes[i >> 3]! | (bit << (i & 7))
  return bytes
}

const bitsOf = (value: number, count: number): number[] => Array.from({ length: count }, (_, i) => (value >> i) & 1)

/** Bits of a side by its selector of two bits. */
const SIDE_BITS = [9, 13, 18, 30] as const

/** Where the header of the size ends that begins at bit 16: `small`, a height, a ratio, and where that is 0 a width. */
const endOfSize = (bits: readonly number[]): number => {
  const small = bits[16] === 1
  const side = (at: number): number => at + (small ? 5 : 2 + SIDE_BITS[bits[at]! + 2 * bits[at + 1]!]!)
  const ratio = side(17)
  const isSquareOrAlike = bits[ratio]! + bits[ratio + 1]! + bits[ratio + 2]! > 0
  return isSquareOrAlike ? ratio + 3 : side(ratio + 3)
}

/** A bare JPEG XL codestream that says that it is a square of `side` px. */
export const lyingJxl = (codestream: Uint8Array, side: number): Buffer => {
  const bits = toBits(codestream)
  const size = [0, 1, 1, ...bitsOf(side - 1, 30), 1, 0, 0]
  return toBytes([...bits.slice(0, 16), ...size, ...bits.slice(endOfSize(bits))])
}
