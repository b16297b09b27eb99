import { readFile } from 'node:fs/promises'
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { stripMetadata } from '../containers/strip/strip.ts'
import { Failure, fail } from '../core/failure.ts'
import { type CodePoints, type Gamut, type Raster, type SourceFacts, uprightExtent } from '../core/image.ts'
import type { Limits, Scaling } from '../plan/plan.ts'
import { fromCodePoints } from './colour/from-code-points.ts'
import { fromInks } from './colour/from-inks.ts'
import { inGamut, readDisplayP3 } from './colour/gamut.ts'
import type { StoredImage } from './colour/stored.ts'
import { toRaster } from './colour/to-raster.ts'
import type { ForeignDecoder } from './decoders/decoder.ts'
import { FOREIGN } from './decoders/decoders.ts'
import { repairPng } from './repair-png.ts'
import { isBlank } from './scan.ts'

// A child works on one image at a time and the pool runs one child a core: more threads would only compete.
sharp.concurrency(1)
// Each image comes once: a cache would only hold memory, and files that are long removed.
sharp.cache(false)

export interface DecodeRequest {
  /** The source, a spool file. */
  readonly path: string
  readonly facts: SourceFacts
  readonly limits: Pick<Limits, 'maxPixels'>
  /**
   * Upright size in px that is wanted, where the whole image is to be scaled down: decoded straight to it, with
   * the decoder's own shrinking where the format has one, so that no more is held in memory than needed.
   */
  readonly wanted?: Scaling
  /** Which colours the pixels are to have; sRGB unless given. */
  readonly gamut?: Gamut
}

export interface Decoded {
  /** Upright 8-bit sRGB, or the gamut that was asked for, colours converted (§3.5); of `wanted` size, or of the source's. */
  readonly pixels: Raster
  readonly warnings: readonly string[]
}

const DAMAGED_WARNING = 'The source is truncated or damaged; what could be decoded of it is used.'

/** Decodes a raster source's (first) frame. Fails with SOURCE_DAMAGED when nothing can be decoded; a part is enough, with a Warning. */
export const decode = async (request: DecodeRequest): Promise<Decoded> => {
  const foreign = FOREIGN[request.facts.format]
  if (foreign !== undefined) return decodeForeign(foreign, request)
  try {
    return { pixels: await read(request, 'truncated'), warnings: [] }
  } catch {
    return { pixels: await readDamaged(request), warnings: [DAMAGED_WARNING] }
  }
}

/** Of its size in the file: what is to be smaller is scaled afterwards. */
const decodeForeign = async (foreign: ForeignDecoder, request: DecodeRequest): Promise<Decoded> => {
  try {
    const found = await foreign(request)
    const pixels =
      'file' in found ? await readStandIn(found.file, found.codePoints, request) : await toRaster(found, request.gamut)
    if (found.truncated === true && isBlank(pixels)) throw new Error('Nothing was left to decode')
    const warning = 'file' in found ? found.warning : undefined
    return {
      pixels,
      warnings: [...(found.truncated === true ? [DAMAGED_WARNING] : []), ...(warning === undefined ? [] : [warning])],
    }
  } catch (error) {
    throw error instanceof Failure ? error : Object.assign(fail('SOURCE_DAMAGED'), { cause: error })
  }
}

const readDamaged = async (request: DecodeRequest): Promise<Raster> => {
  let cause: unknown
  for (const input of [async () => request.path, async () => repaired(request)]) {
    try {
      const pixels = await read({ ...request, path: await input() }, 'none')
      if (!isBlank(pixels)) return pixels
    } catch (error) {
      cause = error
    }
  }
  throw Object.assign(fail('SOURCE_DAMAGED'), { cause })
}

const repaired = async ({ path, facts }: DecodeRequest): Promise<Buffer> => {
  const whole = facts.format === 'png' ? await repairPng(path) : undefined
  if (whole === undefined) throw new Error('Nothing can be repaired')
  return whole
}

type FailOn = NonNullable<SharpOptions['failOn']>

type Input = Omit<DecodeRequest, 'path'> & { readonly path: string | Buffer }

const read = async (request: Input, failOn: FailOn): Promise<Raster> => {
  const options: SharpOptions = { failOn, limitInputPixels: request.limits.maxPixels, autoOrient: true }
  const { gamut = 'srgb', facts } = request
  const { codePoints } = facts
  if (codePoints !== undefined)
    return fromCodePoints(await samplesOf(await bareInput(request), options), codePoints, gamut)
  if (isPlainCmyk(facts)) return inGamut(fromInks(await inksOf(request.path, options)), gamut)
  const source = sharp(request.path, options)
  const metadata = await source.metadata()
  if (gamut === 'p3' && hasColourProfile(metadata)) return readDisplayP3(scaledTo(source, metadata, request))
  if (hasDeepProfile(metadata)) {
    const shallow = await inEightBits(request.path, options, metadata)
    return inGamut(await toPixels(scaledTo(shallow, metadata, request)), gamut)
  }
  // Nothing is to be converted from sRGB, which takes longer than decoding.
  const ignoreIcc = facts.profile === 'srgb'
  const convertsLater = !ignoreIcc && hasColourProfile(metadata) && isMuchSmaller(request)
  const scaled = convertsLater
    ? await shrunkFirst(request, options, metadata)
    : scaledTo(sharp(request.path, { ...options, ignoreIcc }), metadata, request)
  return inGamut(await toPixels(scaled), gamut)
}

/** A profile of red, green and blue. */
const hasColourProfile = ({ icc, space }: Metadata): boolean =>
  icc !== undefined && (space === 'srgb' || space === 'rgb' || space === 'rgb16')

/** Pixels of a source to one that is wanted from which on its colours are converted afterwards. */
const MUCH = 2

const isMuchSmaller = ({ wanted, facts }: Input): boolean =>
  wanted !== undefined && facts.width * facts.height > MUCH * wanted.width * wanted.height

/** Scaled down in the colours of the file's profile, which it takes along: converting all that it has takes longer than decoding it. */
const shrunkFirst = async (request: Input, options: SharpOptions, metadata: Metadata): Promise<Sharp> => {
  const source = sharp(request.path, { ...options, ignoreIcc: true })
  const small = scaledTo(source, metadata, request).keepIccProfile().png({ compressionLevel: 0 })
  return sharp(await small.toBuffer(), { limitInputPixels: false })
}

/** A file that stands in for a source: its colours are its own. */
const readStandIn = (
  file: Buffer,
  codePoints: CodePoints | undefined,
  { facts, limits, gamut = 'srgb' }: DecodeRequest,
): Promise<Raster> => {
  const { codePoints: _none, ...own } = facts
  return read(
    {
      path: file,
      limits,
      gamut,
      facts: { ...own, format: 'png', ...(codePoints === undefined ? {} : { codePoints }) },
    },
    'truncated',
  )
}

/** Code points outrank a profile, which sharp would apply: a PNG may have both. */
const bareInput = async ({ path, facts }: Input): Promise<string | Buffer> => {
  if (facts.format !== 'png') return path
  const file = typeof path === 'string' ? await readFile(path) : path
  const pieces = stripMetadata({ format: 'png', orientation: facts.orientation, profile: 'none' }, file)
  return pieces === undefined ? file : Buffer.concat([...pieces])
}

/** The samples of a file as they stand in it, upright. */
const samplesOf = async (input: string | Buffer, options: SharpOptions): Promise<Omit<StoredImage, 'colours'>> => {
  const source = sharp(input, options)
  const deep = (await source.metadata()).depth === 'ushort'
  const image = deep ? source.toColourspace('rgb16').raw({ depth: 'ushort' }) : source.toColourspace('srgb').raw()
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  if (channels !== 3 && channels !== 4) throw new Error(`Decoded to ${channels} channels`)
  const samples = deep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data
  return { width, height, channels, data: samples }
}

const isPlainCmyk = ({ jpeg, profile }: SourceFacts): boolean => jpeg?.components === 4 && profile === 'none'

const inksOf = async (path: string | Buffer, options: SharpOptions) => {
  const image = sharp(path, options).pipelineColourspace('cmyk').toColourspace('cmyk').raw()
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  if (info.channels !== 4) throw new Error(`CMYK was decoded to ${info.channels} channels`)
  return { width: info.width, height: info.height, data }
}

/** sharp converts 16-bit colours to P3 first and skips profiles of 16-bit grey: such a source takes its profile along in 8 bits. */
const hasDeepProfile = ({ icc, depth }: Metadata): boolean => icc !== undefined && depth === 'ushort'

const inEightBits = async (path: string | Buffer, options: SharpOptions, { channels }: Metadata): Promise<Sharp> => {
  const space = channels < 3 ? 'b-w' : 'srgb'
  const png = await sharp(path, options).keepIccProfile().toColourspace(space).png({ compressionLevel: 0 }).toBuffer()
  return sharp(png, { limitInputPixels: false })
}

const scaledTo = (input: Sharp, metadata: Metadata, { wanted, facts }: Input): Sharp => {
  const upright = uprightExtent(facts, facts.orientation)
  const agreed = metadata.autoOrient.width === upright.width && metadata.autoOrient.height === upright.height
  if (wanted === undefined || !agreed || wanted.width > upright.width || wanted.height > upright.height) return input
  // Without fastShrinkOnLoad the decoder leaves at least a factor of two to the better filter.
  return input.resize(wanted.width, wanted.height, {
    fit: 'fill',
    kernel: wanted.kernel ?? 'lanczos3',
    fastShrinkOnLoad: false,
  })
}

const toPixels = async (image: Sharp): Promise<Raster> => {
  const { data, info } = await image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  if (channels === 3 || channels === 4) return { width, height, channels, data }
  throw new Error(`Decoded to ${channels} channels`)
}
