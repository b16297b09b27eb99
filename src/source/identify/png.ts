import { inflateSync } from 'node:zlib'
import { fail } from '../../core/failure.ts'
import type { Orientation } from '../../core/image.ts'
import { type Colours, coloursOfCodePoints } from './code-points.ts'
import { orientationOf } from './exif.ts'
import { classifyProfile } from './icc.ts'
import { type ByteReader, exactly, type ReadHeader, requireExtent } from './reader.ts'

/** Chunks looked at: pixel data in pieces of 8 KB makes 6400 of them in 50 MB. */
const MOST_CHUNKS = 20_000
const MOST_PROFILE_BYTES = 4_000_000

/** Bit depths that PNG allows for each colour type. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/** Ancillary chunks that are read. */
const WANTED: ReadonlySet<string> = new Set(['tRNS', 'iCCP', 'sRGB', 'gAMA', 'cHRM', 'cICP', 'acTL', 'eXIf'])
/** They count only in front of the pixels. */
const ANYWHERE: ReadonlySet<string> = new Set(['eXIf'])
/** Chunks larger than this hold more than we ask for; a profile is read as far as it goes. */
const MOST_WANTED_BYTES = 1_000_000

interface Gathered {
  readonly chunks: ReadonlyMap<string, Buffer>
  /** Frame controls of an animation. */
  readonly controls: number
}

const gather = async (reader: ByteReader, start: number): Promise<Gathered> => {
  const chunks = new Map<string, Buffer>()
  let controls = 0
  let pixels = false
  let offset = start
  for (let count = 0; count < MOST_CHUNKS; count++) {
    const head = await reader.at(offset, 8)
    if (head.length < 8) break
    const length = head.readUInt32BE(0)
    const name = head.toString('latin1', 4, 8)
    if (name === 'IEND') break
    pixels ||= name === 'IDAT'
    if (name === 'fcTL') controls++
    if (WANTED.has(name) && !chunks.has(name) && (!pixels || ANYWHERE.has(name)))
      chunks.set(name, Buffer.from(await reader.at(offset + 8, Math.min(length, MOST_WANTED_BYTES))))
    offset += 12 + length
  }
  return { chunks, controls }
}

/** name, NUL, compression method 0, zlib stream; undefined when it cannot be unpacked. */
const unpackProfile = (chunk: Buffer): Buffer | undefined => {
  const end = chunk.indexOf(0)
  try {
    return end < 0 ? undefined : inflateSync(chunk.subarray(end + 2), { maxOutputLength: MOST_PROFILE_BYTES })
  } catch {
    return undefined
  }
}

/** Encoding gamma x 100000 within 5% of sRGB's 1/2.2, the threshold that libpng takes for the same. */
const isSrgbGamma = (gamma: number): boolean => Math.abs(gamma / 45_455 - 1) < 0.05

/** White, red, green and blue of sRGB, x and y x 100000. */
const SRGB_CHROMATICITIES = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]

const isSrgbChromaticities = (chunk: Buffer): boolean =>
  chunk.length < 32 || SRGB_CHROMATICITIES.every((value, i) => Math.abs(chunk.readUInt32BE(i * 4) - value) <= 1000)

const chromaticitiesOf = (chunk: Buffer): readonly number[] =>
  SRGB_CHROMATICITIES.map((_, i) => chunk.readUInt32BE(i * 4) / 100_000)

/** Numbers of H.273 for what is told in other words. */
const UNSAID = 2

/** Of gAMA and cHRM; a gamma of 0 is none, and chromaticities alone tell nothing. */
const coloursOfGamma = (chunks: ReadonlyMap<string, Buffer>): Colours => {
  const gamma = chunks.get('gAMA')
  const chromaticities = chunks.get('cHRM')
  if (gamma === undefined || gamma.length < 4 || gamma.readUInt32BE(0) === 0) return { profile: 'none' }
  const plain = chromaticities === undefined || isSrgbChromaticities(chromaticities)
  if (isSrgbGamma(gamma.readUInt32BE(0)) && plain) return { profile: 'srgb' }
  const own = plain ? {} : { chromaticities: chromaticitiesOf(chromaticities) }
  return {
    profile: 'other',
    codePoints: { primaries: UNSAID, transfer: UNSAID, gamma: 100_000 / gamma.readUInt32BE(0), ...own },
  }
}

/** By what stands behind code points in the order of precedence that the PNG specification gives (third edition, section 4.3). */
const coloursOfOthers = (chunks: ReadonlyMap<string, Buffer>, channels: number): Colours => {
  const packed = chunks.get('iCCP')
  const profile = packed === undefined ? undefined : unpackProfile(packed)
  const claimed = profile === undefined ? 'none' : classifyProfile(profile, channels)
  if (claimed !== 'none') return { profile: claimed }
  return chunks.has('sRGB') ? { profile: 'srgb' } : coloursOfGamma(chunks)
}

/** cICP outranks all others: primaries, transfer, no matrix, full range (ITU-T H.273). */
const coloursOf = (chunks: ReadonlyMap<string, Buffer>, channels: number): Colours => {
  const [primaries, transfer, matrix] = chunks.get('cICP') ?? []
  if (primaries !== undefined && transfer !== undefined && matrix === 0)
    return coloursOfCodePoints({ primaries, transfer })
  return coloursOfOthers(chunks, channels)
}

/** An animation has as many frames as there are frame controls, whatever its header says; plays in all, 0 = for ever. */
const animationOf = ({ chunks, controls }: Gathered): { readonly frames: number; readonly loop?: number } => {
  const control = chunks.get('acTL')
  if (control === undefined || control.length < 8) return { frames: 1 }
  const frames = Math.min(control.readUInt32BE(0), controls)
  return frames > 1 ? { frames, loop: control.readUInt32BE(4) } : { frames: 1 }
}

/** Chunks in front of the header are against the rules, yet decoders and browsers pass over them. */
const MOST_BEFORE_HEADER = 16

const findHeader = async (reader: ByteReader): Promise<{ readonly header: Buffer; readonly after: number }> => {
  let offset = 8
  for (let count = 0; count <= MOST_BEFORE_HEADER; count++) {
    const chunk = await exactly(reader, offset, 8)
    const [length, name] = [chunk.readUInt32BE(0), chunk.toString('latin1', 4, 8)]
    if (name === 'CgBI') throw fail('FORMAT_UNSUPPORTED', 'a PNG in a private form of Apple (CgBI)')
    if (name === 'IHDR')
      return { header: Buffer.from(await exactly(reader, offset + 8, 13)), after: offset + 12 + length }
    offset += 12 + length
  }
  throw fail('SOURCE_DAMAGED')
}

/** PNG and APNG: all chunks but the pixels. Fails with SOURCE_DAMAGED when the header cannot be true. */
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
