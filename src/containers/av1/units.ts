/** Open bitstream units (AV1 specification, sections 5.3 and 4.10.5). */

/** Types of units (section 6.2.2). */
export const UNIT = { sequenceHeader: 1, temporalDelimiter: 2, frameHeader: 3, frame: 6 } as const

export interface Unit {
  readonly type: number
  readonly content: Uint8Array
}

/** Reads a LEB128 length. Returns the length and the offset after it. */
const readLength = (bytes: Uint8Array, start: number): { readonly length: number; readonly after: number } => {
  let length = 0
  for (let i = 0; i < 5; i += 1) {
    const byte = bytes[start + i] ?? 0
    length += (byte & 127) * 128 ** i
    if (byte < 128) return { length, after: start + i + 1 }
  }
  return { length, after: bytes.length }
}

/** Units with their content. The last is one without a length. */
export function* unitsOf(bytes: Uint8Array): Generator<Unit> {
  let at = 0
  while (at < bytes.length) {
    const head = bytes[at]!
    const start = at + ((head & 4) === 0 ? 1 : 2)
    const { length, after } =
      (head & 2) === 0 ? { length: bytes.length - start, after: start } : readLength(bytes, start)
    yield { type: (head >> 3) & 15, content: bytes.subarray(after, after + length) }
    at = after + length
  }
}

/** A unit with its length. */
export const writeUnit = (type: number, ...parts: readonly Uint8Array[]): Buffer => {
  const length: number[] = []
  let left = parts.reduce((sum, part) => sum + part.length, 0)
  for (; left > 127; left = Math.floor(left / 128)) length.push((left & 127) | 128)
  return Buffer.concat([Buffer.from([(type << 3) | 2, ...length, left]), ...parts])
}
