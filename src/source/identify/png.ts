import { inflateSync } from 'node:zlib'
import { fail } from '../../core/failure.ts'
import type { Orientation, SourceFacts } from '../../core/image.ts'
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
  chunk.length >= 32 && SRGB_CHROMATICITIES.every((value, i) => Math.abs(chunk.readUInt32BE(i * 4) - value) <= 1000)

/** Primaries BT.709, transfer sRGB, no matrix, full range (ITU-T H.273). */
const isSrgbCodePoints = (chunk: Buffer): boolean => chunk[0] === 1 && chunk[1] === 13

/** In the order of precedence that the PNG specification gives them (third edition, §4.3). */
const profileOf = (chunks: ReadonlyMap<string, Buffer>, channels: number): SourceFacts['profile'] => {
  const codePoints = chunks.get('cICP')
  if (codePoints !== undefined && codePoints.length >= 4) return isSrgbCodePoints(codePoints) ? 'srgb' : 'other'
  const packed = chunks.get('iCCP')
  const profile = packed === undefined ? undefined : unpackProfile(packed)
  const claimed = profile === undefined ? 'none' : classifyProfile(profile, channels)
  if (claimed !== 'none') return claimed
  if (chunks.has('sRGB')) return 'srgb'
  const gamma = chunks.get('gAMA')
  const chromaticities = chunks.get('cHRM')
  if (gamma === undefined || gamma.length < 4) return 'none'
  const same =
    isSrgbGamma(gamma.readUInt32BE(0)) && (chromaticities === undefined || isSrgbChromaticities(chromaticities))
  return same ? 'srgb' : 'other'
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
    profile: profileOf(found.chunks, colour === 0 || colour === 4 ? 1 : 3),
    depth,
  }
}
