// Field types of JPEG XL headers (ISO/IEC 18181-1, annex B).
import type { BitWriter } from './bit-writer.ts'

/** One of the four ways to write a U32: `bits` bits of what exceeds `offset`. */
export interface NumberForm {
  readonly bits: number
  readonly offset: number
}

/** A U32 choice that stands for one number. */
export const formOf = (offset: number): NumberForm => ({ bits: 0, offset })
/** A U32 choice of `bits` bits above `offset`. */
export const bitsFrom = (bits: number, offset: number): NumberForm => ({ bits, offset })

/** Writes a number by the first choice that holds it; throws a RangeError where none does. */
export const writeU32 = (
  writer: BitWriter,
  value: number,
  choices: readonly [NumberForm, NumberForm, NumberForm, NumberForm],
): void => {
  const selected = choices.findIndex(({ bits, offset }) => value >= offset && value - offset < 2 ** bits)
  if (selected < 0) throw new RangeError(`JPEG XL has no form for ${value} here`)
  const { bits, offset } = choices[selected]!
  writer.write(selected, 2)
  writer.write(value - offset, bits)
}

/** Writes a number of up to 272, which is all that our headers need of a U64. */
export const writeU64 = (writer: BitWriter, value: number): void =>
  writeU32(writer, value, [formOf(0), bitsFrom(4, 1), bitsFrom(8, 17), bitsFrom(0, -1)])

/** Writes a value of an enumeration. */
export const writeEnum = (writer: BitWriter, value: number): void =>
  writeU32(writer, value, [formOf(0), formOf(1), bitsFrom(4, 2), bitsFrom(6, 18)])

/** Writes a flag. */
export const writeBool = (writer: BitWriter, value: boolean): void => writer.write(value ? 1 : 0, 1)

/** A positive number as a 16-bit float, its bits; undefined where it has no exact form. */
export const halfFloat = (value: number): number | undefined => {
  const exponent = Math.floor(Math.log2(value))
  const mantissa = (value / 2 ** exponent - 1) * 1024
  return Number.isInteger(mantissa) && exponent >= -14 && exponent <= 15
    ? ((exponent + 15) << 10) | mantissa
    : undefined
}

/** Writes a positive number as a 16-bit float; throws a RangeError where that is not exact. */
export const writeF16 = (writer: BitWriter, value: number): void => {
  const bits = halfFloat(value)
  if (bits === undefined) throw new RangeError(`${value} is no 16-bit float`)
  writer.write(bits, 16)
}

/** The fewest bits that hold the numbers below `count`. */
export const ceilLog2 = (count: number): number => (count <= 1 ? 0 : 32 - Math.clz32(count - 1))

/** A signed number as an unsigned one: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4. */
export const packSigned = (value: number): number => (value >= 0 ? 2 * value : -2 * value - 1)
