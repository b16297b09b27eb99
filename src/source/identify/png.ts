import { inflateSync } from 'node:zlib'
import { fail } from '../../core/failure.ts'
import { TRANSFER } from '../../core/hdr.ts'
import type { Orientation } from '../../core/image.ts'
import { type Colours, coloursOfCodePoints } from './code-points.ts'
import { orientationOf } from './exif.ts'
import { classifyProfile } from './icc.ts'
import { type ByteReader, exactly, type ReadHeader, requireExtent } from './reader.ts'

/** Chunks that are read. A file of 50 MB with pixel data in pieces of 8 KB has 6400. */
const MAX_CHUNKS = 20_000
/** Bytes of an unpacked ICC profile. Chosen, not measured. */
const MAX_PROFILE_BYTES = 4_000_000

/** Bit depths that PNG allows for each colour type. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/** Ancillary chunks that are read. */
const CHUNKS_READ: ReadonlySet<string> = new Set(['tRNS', 'iCCP', 'sRGB', 'gAMA', 'cHRM', 'cICP', 'acTL', 'eXIf'])
/** Chunks that also count after the pixels. */
const CHUNKS_ANYWHERE: ReadonlySet<string> = new Set(['eXIf'])

interface Gathered {
  readonly chunks: ReadonlyMap<string, Buffer>
  /** Number of frame controls of an animation. */
  readonly controls: number
}

const gather = async (reader: ByteReader, start: number): Promise<Gathered> => {
  const chunks = new Map<string, Buffer>()
  let controls = 0
  let pixels = false
  let offset = start
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const head = await reader.at(offset, 8)
    if (head.length < 8) break
    const length = head.readUInt32BE(0)
    const name = head.toString('latin1', 4, 8)
    if (name === 'IEND') break
    pixels ||= name === 'IDAT'
    if (name === 'fcTL') controls++
    if (CHUNKS_READ.has(name) && !chunks.has(name) && (!pixels || CHUNKS_ANYWHERE.has(name)))
      chunks.set(name, Buffer.from(await reader.at(offset + 8, length)))
    offset += 12 + length
  }
  return { chunks, controls }
}

/** iCCP: name, NUL, compression method 0, zlib stream. undefined when it cannot be decompressed. */
const unpackProfile = (chunk: Buffer): Buffer | undefined => {
  const end = chunk.indexOf(0)
  try {
    return end < 0 ? undefined : inflateSync(chunk.subarray(end + 2), { maxOutputLength: MAX_PROFILE_BYTES })
  } catch {
    return undefined
  }
}

/** Whether an encoding gamma x 100000 is within 5 % of sRGB's 1/2.2: libpng's threshold. */
const isSrgbGamma = (gamma: number): boolean => Math.abs(gamma / 45_455 - 1) < 0.05

/** White, red, green and blue of sRGB, x and y x 100000. */
const SRGB_CHROMATICITIES = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]

const isSrgbChromaticities = (chunk: Buffer): boolean =>
  chunk.length < 32 || SRGB_CHROMATICITIES.every((value, i) => Math.abs(chunk.readUInt32BE(i * 4) - value) <= 1000)

const chromaticitiesOf = (chunk: Buffer): readonly number[] =>
  SRGB_CHROMATICITIES.map((_, i) => chunk.readUInt32BE(i * 4) / 100_000)

/** The colours of gAMA and cHRM. A gamma of 0 is ignored, and so are chromaticities without gamma. */
const coloursOfGamma = (chunks: ReadonlyMap<string, Buffer>): Colours => {
  const gamma = chunks.get('gAMA')
  const chromaticities = chunks.get('cHRM')
  if (gamma === undefined || gamma.length < 4 || gamma.readUInt32BE(0) === 0) return { profile: 'none' }
  const plain = chromaticities === undefined || isSrgbChromaticities(chromaticities)
  if (isSrgbGamma(gamma.readUInt32BE(0)) && plain) return { profile: 'srgb' }
  const own = plain ? {} : { chromaticities: chromaticitiesOf(chromaticities) }
  return {
    profile: 'other',
    codePoints: {
      primaries: TRANSFER.unspecified,
      transfer: TRANSFER.unspecified,
      gamma: 100_000 / gamma.readUInt32BE(0),
      ...own,
    },
  }
}

/** The colours without cICP, in the order of precedence of the PNG specification (third edition, section 4.3). */
const coloursWithoutCodePoints = (chunks: ReadonlyMap<string, Buffer>, channels: number): Colours => {
  const packed = chunks.get('iCCP')
  const profile = packed === undefined ? undefined : unpackProfile(packed)
  const claimed = profile === undefined ? 'none' : classifyProfile(profile, channels)
  if (claimed !== 'none') return { profile: claimed }
  return chunks.has('sRGB') ? { profile: 'srgb' } : coloursOfGamma(chunks)
}

/** cICP has precedence: primaries, transfer, no matrix, full range (ITU-T H.273). */
const coloursOf = (chunks: ReadonlyMap<string, Buffer>, channels: number): Colours => {
  const [primaries, transfer, matrix] = chunks.get('cICP') ?? []
  if (primaries !== undefined && transfer !== undefined && matrix === 0)
    return coloursOfCodePoints({ primaries, transfer })
  return coloursWithoutCodePoints(chunks, channels)
}

/** Frames are counted by frame controls, which may be fewer than the header claims. `loop`: number of plays, 0 for endless. */
const animationOf = ({ chunks, controls }: Gathered): { readonly frames: number; readonly loop?: number } => {
  const control = chunks.get('acTL')
  if (control === undefined || control.length < 8) return { frames: 1 }
  const frames = Math.min(control.readUInt32BE(0), controls)
  return frames > 1 ? { frames, loop: control.readUInt32BE(4) } : { frames: 1 }
}

const findHeader = async (reader: ByteReader): Promise<{ readonly header: Buffer; readonly after: number }> => {
  let offset = 8
  for (let count = 0; count <= MAX_CHUNKS; count++) {
    const chunk = await exactly(reader, offset, 8)
    const [length, name] = [chunk.readUInt32BE(0), chunk.toString('latin1', 4, 8)]
    if (name === 'CgBI') throw fail('FORMAT_UNSUPPORTED', 'a PNG in a private form of Apple (CgBI)')
    if (name === 'IHDR')
      return { header: Buffer.from(await exactly(reader, offset + 8, 13)), after: offset + 12 + length }
    offset += 12 + length
  }
  throw fail('SOURCE_DAMAGED')
}

/** PNG and APNG: reads all chunks except pixel data. Fails with SOURCE_DAMAGED when the header is invalid. */
export const readPng: ReadHeader = async (reader) => {
  const { header, after } = await findHeader(reader)
  const [depth = 0, colour = 0] = [header[8], header[9]]
  if (!DEPTHS[colour]?.includes(depth)) throw fail('SOURCE_DAMAGED')
  const extent = requireExtent(header.readUInt32BE(0), header.readUInt32BE(4))
  const found = await gather(reader, after)
  const exif = found.chunks.get('eXIf')
  const orientation: Orientation = exif === undefined ? 1 : await orientationOf(exif)
  return {
    format: 'png',
    ...extent,
    ...animationOf(found),
    alpha: colour >= 4 || found.chunks.has('tRNS'),
    orientation,
    ...coloursOf(found.chunks, colour === 0 || colour === 4 ? 1 : 3),
    depth,
  }
}
