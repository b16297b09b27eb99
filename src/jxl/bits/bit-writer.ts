/** Bits of a JPEG XL codestream (ISO/IEC 18181-1, annex A): the lowest bit of a value comes first, and fills the lowest free bit of a byte. */
export class BitWriter {
  #bytes = new Uint8Array(1024)
  #length = 0
  #held = 0
  #waiting = 0

  /** Appends the lowest `count` bits, 0 to 32, of `value`, which has no higher ones. */
  write(value: number, count: number): void {
    if (count > 16) {
      this.write(value & 0xffff, 16)
      this.write(value >>> 16, count - 16)
      return
    }
    this.#held |= value << this.#waiting
    this.#waiting += count
    if (this.#length + 4 > this.#bytes.length) this.#grow(4)
    while (this.#waiting >= 8) {
      this.#bytes[this.#length++] = this.#held & 255
      this.#held >>>= 8
      this.#waiting -= 8
    }
  }

  /** Fills up the last byte with zeros. */
  padToByte(): void {
    if (this.#waiting > 0) this.write(0, 8 - this.#waiting)
  }

  /** Appends whole bytes; call it at a byte boundary. */
  append(bytes: Uint8Array): void {
    this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Appends the first `count` bits of some bytes. */
  writeBits(bytes: Uint8Array, count: number): void {
    const whole = count >> 3
    if (this.#waiting === 0) this.append(bytes.subarray(0, whole))
    else for (let i = 0; i < whole; i++) this.write(bytes[i]!, 8)
    const rest = count & 7
    if (rest > 0) this.write(bytes[whole]! & (2 ** rest - 1), rest)
  }

  /** Appends all bits of another writer. */
  appendBits(other: BitWriter): void {
    const { bits } = other
    this.writeBits(other.finish(), bits)
  }

  /** Bits written so far. */
  get bits(): number {
    return this.#length * 8 + this.#waiting
  }

  /** The bytes written so far, the last one filled up with zeros. */
  finish(): Uint8Array {
    this.padToByte()
    return this.#bytes.slice(0, this.#length)
  }

  #grow(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#length + more, this.#bytes.length * 2))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}
