/** Reads and writes bits, the highest of a byte first. */

/** A position in bytes. Reads 0 after their end. */
export interface Av1BitReader {
  /** Bits read so far. */
  readonly at: () => number
  readonly read: (bits: number) => number
  readonly flag: () => boolean
  readonly skip: (bits: number) => void
}

/** Opens a reader at the first bit. Numbers have at most 53 bits. */
export const readBits = (bytes: Uint8Array): Av1BitReader => {
  let at = 0
  const read = (bits: number): number => {
    let number = 0
    for (let left = bits; left > 0; left -= 1, at += 1)
      number = number * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
    return number
  }
  const skip = (bits: number): void => {
    at += bits
  }
  return { at: () => at, read, flag: () => read(1) === 1, skip }
}

/** Bits that grow at their end. Numbers have at most 32 bits. */
export interface Av1BitWriter {
  readonly write: (number: number, bits: number) => void
  /** Copies the bits from `from` to before `to`. */
  readonly copy: (bytes: Uint8Array, from: number, to: number) => void
  /** The bits so far, filled up with zeros to whole bytes. */
  readonly bytes: () => Buffer
}

/** Opens a writer without bits. */
export const writeBits = (): Av1BitWriter => {
  const bits: number[] = []
  return {
    write: (number, count) => {
      for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((number >> bit) & 1)
    },
    copy: (bytes, from, to) => {
      for (let at = from; at < to; at += 1) bits.push((bytes[at >> 3]! >> (7 - (at & 7))) & 1)
    },
    bytes: () => {
      const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
      for (const [at, bit] of bits.entries()) bytes[at >> 3]! |= bit << (7 - (at & 7))
      return bytes
    },
  }
}
