// ICC profiles in a codestream (ISO/IEC 18181-1, annex E): the header as what it differs from a usual one by, the rest as it is.

import { HEADER_SIZES } from '../core/header-sizes.ts'
import type { BitWriter } from './bits/bit-writer.ts'
import { codeFor, writeCode, writeTokens } from './entropy/entropy-code.ts'
import { Tokens } from './entropy/tokens.ts'
import { JXL } from './format-numbers.ts'

/** Whether a profile has the length that it claims, and all of its tags (ICC.1:2022, section 7). jxl-oxide refuses a file without. */
export const isWholeProfile = (icc: Uint8Array): boolean => {
  const { icc: header, iccTag } = HEADER_SIZES
  if (icc.length < header + 4) return false
  const view = new DataView(icc.buffer, icc.byteOffset, icc.length)
  const end = header + 4 + view.getUint32(header) * iccTag
  if (view.getUint32(0) !== icc.length || end > icc.length) return false
  for (let tag = header + 4; tag < end; tag += iccTag)
    if (view.getUint32(tag + 4) + view.getUint32(tag + 8) > icc.length) return false
  return true
}

/** A number in groups of seven bits, the lowest first. */
const variableLength = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...variableLength(Math.floor(value / 128))]

/** Predicted bytes of a profile's header, by offset. */
const EXPECTED: readonly (readonly [offset: number, bytes: readonly number[]])[] = [
  [8, [4]],
  [12, [...Buffer.from('mntrRGB XYZ ')]],
  [36, [...Buffer.from('acsp')]],
  [70, [246, 214, 0, 1, 0, 0, 0, 0, 211, 45]],
]

/** Signatures of makers of profiles, by what they begin with. */
const MAKERS = ['APPL', 'MSFT', 'SGI ', 'SUNW'] as const

/** Bytes that a header is expected to have. Some follow from those before. */
const expectedHeader = (icc: Uint8Array): Uint8Array => {
  const expected = new Uint8Array(HEADER_SIZES.icc)
  new DataView(expected.buffer).setUint32(0, icc.length)
  for (const [offset, bytes] of EXPECTED) expected.set(bytes, offset)
  expected.set(icc.subarray(4, 8), 80)
  const beginning = String.fromCharCode(...icc.subarray(40, 42))
  for (const maker of MAKERS) {
    if (maker[0] === beginning[0] && 'AM'.includes(maker[0]!)) expected.set(Buffer.from(maker.slice(1)), 41)
    if (maker.startsWith(beginning) && maker[0] === 'S') expected.set(Buffer.from(maker.slice(2)), 42)
  }
  return expected
}

/** A profile in the form that is coded: sizes, commands, header, rest. */
const predicted = (icc: Uint8Array): Uint8Array => {
  const expected = expectedHeader(icc)
  const header = icc.subarray(0, HEADER_SIZES.icc).map((byte, i) => byte - expected[i]!)
  const rest = icc.subarray(HEADER_SIZES.icc)
  // No list of tags, then all bytes after the header.
  const commands = rest.length === 0 ? [] : [0, JXL.insertBytes, ...variableLength(rest.length)]
  return Buffer.concat([
    Buffer.from([...variableLength(icc.length), ...variableLength(commands.length), ...commands]),
    header,
    rest,
  ])
}

const isLetter = (byte: number): boolean => /[a-z]/i.test(String.fromCharCode(byte)) && byte < 128
const isDigit = (byte: number): boolean => /[0-9.,]/.test(String.fromCharCode(byte))

const kindBefore = (byte: number): number => {
  if (isLetter(byte)) return 0
  if (isDigit(byte)) return 1
  if (byte < 2) return 2 + byte
  if (byte < 16) return 4
  if (byte === 255) return 6
  return byte > 240 ? 5 : 7
}

const kindBeforeThat = (byte: number): number => {
  if (isLetter(byte)) return 0
  if (isDigit(byte)) return 1
  if (byte < 16) return 2
  return byte > 240 ? 3 : 4
}

/** Writes a profile. */
export const writeIcc = (writer: BitWriter, icc: Uint8Array): void => {
  const bytes = predicted(icc)
  const tokens = new Tokens(bytes.length)
  bytes.forEach((byte, i) => {
    const context = i <= HEADER_SIZES.icc ? 0 : 1 + kindBefore(bytes[i - 1]!) + 8 * kindBeforeThat(bytes[i - 2]!)
    tokens.push(context, byte)
  })
  writeLength(writer, bytes.length)
  const code = codeFor([tokens], JXL.profileContexts)
  writeCode(writer, code)
  writeTokens(writer, code, tokens)
}

/** A U64 of more than 272 in its longest form: 12 bits, then groups of 8, each after a flag. */
const writeLength = (writer: BitWriter, length: number): void => {
  writer.write(3, 2)
  writer.write(length & 4095, 12)
  for (let rest = length >>> 12; rest > 0; rest >>>= 8) {
    writer.write(1, 1)
    writer.write(rest & 255, 8)
  }
  writer.write(0, 1)
}
