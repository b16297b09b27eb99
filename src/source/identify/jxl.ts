import { fail } from '../../core/failure.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import type { Extent } from '../../core/image.ts'
import { boxesIn } from './boxes.ts'
import { type ByteReader, HEAD_BYTES, type ReadHeader, requireExtent } from './reader.ts'

/** The beginning of the codestream: of the file, or in the first codestream box of a container. */
const codestreamOf = async (reader: ByteReader): Promise<Buffer> => {
  if ((await reader.at(0, 2)).readUInt16BE(0) === 0xff0a) return Buffer.from(await reader.at(2, HEAD_BYTES))
  for await (const { name, start } of boxesIn(reader, 0, reader.size)) {
    if (name !== 'jxlc' && name !== 'jxlp') continue
    const at = start + (name === 'jxlp' ? HEADER_SIZES.jxlPart : 0)
    const mark = await reader.at(at, 2)
    if (mark.length < 2 || mark.readUInt16BE(0) !== 0xff0a) break
    return Buffer.from(await reader.at(at + 2, HEAD_BYTES))
  }
  throw fail('SOURCE_DAMAGED')
}

/** Reads `bits` bits and adds `plus`. */
type Form = readonly [bits: number, plus: number]

/** Reads bits, the lowest of each byte first (ISO/IEC 18181-1, section 9.2). */
const openBits = (bytes: Buffer) => {
  let at = 0
  const bits = (count: number): number => {
    if (at + count > bytes.length * 8) throw fail('SOURCE_DAMAGED')
    let value = 0
    for (let i = 0; i < count; i++, at++) value += ((bytes[at >> 3]! >> (at & 7)) & 1) * 2 ** i
    return value
  }
  const flag = (): boolean => bits(1) === 1
  /** U32: two bits choose one of four forms. */
  const choice = (...forms: readonly [Form, Form, Form, Form]): number => {
    const [count, plus] = forms[bits(2)]!
    return bits(count) + plus
  }
  return { bits, flag, choice }
}

type Bits = ReturnType<typeof openBits>

/** Width over height by the ratio number of three bits. */
const RATIOS: readonly (readonly [number, number])[] = [
  [0, 1], [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1],
] // biome-ignore format: a table

/** SizeHeader (ISO/IEC 18181-1, annex D.2). */
const readSize = ({ bits, flag, choice }: Bits): Extent => {
  const small = flag()
  const side = (): number => (small ? (bits(5) + 1) * 8 : choice([9, 1], [13, 1], [18, 1], [30, 1]))
  const height = side()
  const [over, under] = RATIOS[bits(3)]!
  return { width: over === 0 ? side() : Math.floor((height * over) / under), height }
}

/** Skips PreviewHeader (annex D.3.2). */
const skipPreview = ({ bits, flag, choice }: Bits): void => {
  const small = flag()
  const side = (): number =>
    small ? choice([0, 16], [0, 32], [5, 1], [9, 33]) : choice([6, 1], [8, 65], [10, 321], [12, 1345])
  side()
  if (bits(3) === 0) side()
}
/** Skips AnimationHeader (annex D.3.3). */
const skipAnimation = ({ flag, choice }: Bits): void => {
  choice([0, 100], [0, 1000], [10, 1], [30, 1])
  choice([0, 1], [0, 1001], [8, 1], [10, 1])
  choice([0, 0], [3, 0], [16, 0], [32, 0])
  flag()
}

interface Metadata {
  readonly orientation: number
  readonly depth: number
  readonly extraChannels: number
}

/** The beginning of ImageMetadata (annex D.3). */
const readMetadata = (reader: Bits): Metadata => {
  const { bits, flag, choice } = reader
  if (flag()) return { orientation: 1, depth: 8, extraChannels: 0 }
  let orientation = 1
  if (flag()) {
    orientation = bits(3) + 1
    if (flag()) readSize(reader)
    if (flag()) skipPreview(reader)
    if (flag()) skipAnimation(reader)
  }
  const float = flag()
  const depth = float ? choice([0, 32], [0, 16], [0, 24], [6, 1]) : choice([0, 8], [0, 10], [0, 12], [6, 1])
  if (float) bits(4)
  flag()
  return { orientation, depth, extraChannels: choice([0, 0], [0, 1], [4, 2], [12, 1]) }
}

/**
 * JPEG XL, bare or in a container. The size is as shown, since decoders apply the orientation. Extra channels count as transparency
 * until the pixels are decoded. Fails with SOURCE_DAMAGED.
 */
export const readJxl: ReadHeader = async (reader) => {
  const bits = openBits(await codestreamOf(reader))
  const stored = readSize(bits)
  const { orientation, depth, extraChannels } = readMetadata(bits)
  const turned = orientation >= 5
  return {
    format: 'jxl',
    ...requireExtent(turned ? stored.height : stored.width, turned ? stored.width : stored.height),
    frames: 1,
    alpha: extraChannels > 0,
    orientation: 1,
    profile: 'none',
    depth,
  }
}
