import { readFile } from 'node:fs/promises'
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { stripMetadata } from '../containers/strip/strip.ts'
import { Failure, fail } from '../core/failure.ts'
import { type Gamut, type Raster, type SourceFacts, uprightExtent } from '../core/image.ts'
import type { Limits, Scaling } from '../plan/plan.ts'
import { fromCodePoints } from './colour/from-code-points.ts'
import { fromInks } from './colour/from-inks.ts'
import { inGamut, readDisplayP3 } from './colour/gamut.ts'
import type { StoredImage } from './colour/stored.ts'
import { toRaster } from './colour/to-raster.ts'
import type { ForeignDecoder, StandIn } from './decoders/decoder.ts'
import { FOREIGN } from './decoders/decoders.ts'
import { repairPng } from './repair-png.ts'
import { isBlank } from './scan.ts'

// A child works on one image at a time, and the pool runs one child per core, so more threads would compete.
sharp.concurrency(1)
// Each image is decoded once, so a cache would only hold memory and removed files.
sharp.cache(false)

export interface DecodeRequest {
  /** The source, a spool file. */
  readonly path: string
  readonly facts: SourceFacts
  readonly limits: Pick<Limits, 'maxPixels'>
  /**
   * Upright size in px for a whole image that is scaled down. The image is decoded to it directly, with the decoder's own reduction where
   * the format has one, to save memory.
   */
  readonly wanted?: Scaling
  /** Gamut of the pixels. Default: sRGB. */
  readonly gamut?: Gamut
}

export interface Decoded {
  /** Upright 8-bit pixels in sRGB or the requested gamut (§3.5), of the `wanted` size or the source's. */
  readonly pixels: Raster
  readonly warnings: readonly string[]
}

const DAMAGED_WARNING = 'The source is truncated or damaged; what could be decoded of it is used.'

/** Decodes the first frame of a raster source. A part of it is enough, with a Warning. Fails with SOURCE_DAMAGED when nothing can be decoded. */
export const decode = async (request: DecodeRequest): Promise<Decoded> => {
  const foreign = FOREIGN[request.facts.format]
  if (foreign !== undefined) return decodeForeign(foreign, request)
  try {
    return { pixels: await read(request, 'truncated'), warnings: [] }
  } catch {
    return { pixels: await readDamaged(request), warnings: [DAMAGED_WARNING] }
  }
}

/** Decodes at the stored size. Scaling follows later. */
const decodeForeign = async (foreign: ForeignDecoder, request: DecodeRequest): Promise<Decoded> => {
  try {
    const found = await foreign(request)
    const pixels = 'file' in found ? await readStandIn(found, request) : await toRaster(found, request.gamut)
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
  // sRGB needs no conversion, which would take longer than decoding. lcms would apply a truncated profile, and browsers ignore it.
  const ignoreIcc = facts.profile !== 'other'
  const convertsColours = !ignoreIcc && hasColourProfile(metadata)
  if (gamut === 'p3' && convertsColours) return readDisplayP3(scaledTo(source, metadata, request))
  if (!ignoreIcc && hasDeepProfile(metadata)) {
    const shallow = await inEightBits(request.path, options, metadata)
    return inGamut(await toPixels(scaledTo(shallow, metadata, request)), gamut)
  }
  const convertsLater = convertsColours && shrinksFirst(request)
  const scaled = convertsLater
    ? await shrunkFirst(request, options, metadata)
    : scaledTo(sharp(request.path, { ...options, ignoreIcc }), metadata, request)
  return inGamut(await toPixels(scaled), gamut)
}

/** Whether the image has an RGB profile. */
const hasColourProfile = ({ icc, space }: Metadata): boolean =>
  icc !== undefined && (space === 'srgb' || space === 'rgb' || space === 'rgb16')

/** Ratio of source px to wanted px above which colours are converted after scaling. */
const SHRINK_FIRST_RATIO = 2

const shrinksFirst = ({ wanted, facts }: Input): boolean =>
  wanted !== undefined && facts.width * facts.height > SHRINK_FIRST_RATIO * wanted.width * wanted.height

/** Scales down before colour conversion, and keeps the profile. Converting all source pixels takes longer than decoding. */
const shrunkFirst = async (request: Input, options: SharpOptions, metadata: Metadata): Promise<Sharp> => {
  const source = sharp(request.path, { ...options, ignoreIcc: true })
  const small = scaledTo(source, metadata, request).keepIccProfile().png({ compressionLevel: 0 })
  return sharp(await small.toBuffer(), { limitInputPixels: false })
}

/** Decodes a file that replaces a source, with its own colours. */
const readStandIn = (
  { file, codePoints, profile = 'other' }: StandIn,
  { facts, limits, gamut = 'srgb' }: DecodeRequest,
): Promise<Raster> => {
  const { codePoints: _none, ...own } = facts
  return read(
    {
      path: file,
      limits,
      gamut,
      facts: { ...own, format: 'png', profile, ...(codePoints === undefined ? {} : { codePoints }) },
    },
    'truncated',
  )
}

/** Removes the profile of a PNG with code points, which have precedence. sharp would apply the profile. */
const bareInput = async ({ path, facts }: Input): Promise<string | Buffer> => {
  if (facts.format !== 'png') return path
  const file = typeof path === 'string' ? await readFile(path) : path
  const pieces = stripMetadata({ format: 'png', orientation: facts.orientation, profile: 'none' }, file)
  return pieces === undefined ? file : Buffer.concat([...pieces])
}

/** The samples of a file as stored, upright. */
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

/** Whether an image has 16 bits and a profile. sharp converts 16-bit colours to P3 first, and skips profiles of 16-bit grey, so it is converted to 8 bits with its profile. */
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
  // Without fastShrinkOnLoad the decoder leaves at least a factor of two for the better filter.
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
