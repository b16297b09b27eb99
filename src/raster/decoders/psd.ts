import { readFile } from 'node:fs/promises'
import { findPsdResource, PSD_RESOURCE, type PsdHeader, psdObstacle, readPsdHeader } from '../../containers/psd.ts'
import { fail } from '../../core/failure.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import type { StoredColours, StoredImage } from '../colour/stored.ts'
import { type ForeignDecoder, requirePixels } from './decoder.ts'

interface Sections {
  readonly palette: Buffer
  readonly resources: Buffer
  readonly layers: Buffer
  /** Compression method, then the samples of each channel. */
  readonly merged: Buffer
}

/** Splits the file into its four sections, each with a length prefix. */
const sectionsOf = (file: Buffer, { large }: PsdHeader): Sections => {
  let at = HEADER_SIZES.psd
  const next = (wide = false): Buffer => {
    const length = wide ? Number(file.readBigUInt64BE(at)) : file.readUInt32BE(at)
    const start = at + (wide ? 8 : 4)
    at = start + length
    return file.subarray(start, at)
  }
  return { palette: next(), resources: next(), layers: next(large), merged: file.subarray(at) }
}

/** Decodes PackBits (TIFF 6.0, section 9) for one row. */
const unpackRow = (packed: Buffer, row: Uint8Array): void => {
  for (let at = 0, to = 0; at < packed.length && to < row.length; ) {
    const control = packed.readInt8(at++)
    if (control >= 0) {
      row.set(packed.subarray(at, at + control + 1).subarray(0, row.length - to), to)
      at += control + 1
      to += control + 1
    } else if (control !== -128) {
      row.fill(packed[at++] ?? 0, to, to + 1 - control)
      to += 1 - control
    }
  }
}

/** Adobe Photoshop File Formats Specification, "Image Data Section". */
const COMPRESSION = { raw: 0, packed: 1 } as const

/** The bytes of the first `used` channels, row by row. Missing ones are zero. */
const unpackChannels = (merged: Buffer, { width, height, depth, channels, large }: PsdHeader, used: number) => {
  const compression = merged.readUInt16BE(0)
  const rowBytes = Math.ceil((width * depth) / 8)
  const samples = new Uint8Array(used * height * rowBytes)
  if (compression === COMPRESSION.raw) {
    samples.set(merged.subarray(2, 2 + samples.length))
    return { samples, truncated: merged.length - 2 < samples.length }
  }
  if (compression !== COMPRESSION.packed) throw fail('FORMAT_UNSUPPORTED', 'a Photoshop file whose picture is deflated')
  // The packed lengths of all rows of all channels come first.
  let at = 2 + channels * height * (large ? 4 : 2)
  for (let row = 0; row < used * height; row++) {
    const length = large ? merged.readUInt32BE(2 + row * 4) : merged.readUInt16BE(2 + row * 2)
    unpackRow(merged.subarray(at, at + length), samples.subarray(row * rowBytes, (row + 1) * rowBytes))
    at += length
  }
  return { samples, truncated: at > merged.length }
}

/** Whether the merged image has transparency: the number of layers is negative. */
const hasTransparency = (layers: Buffer, { large }: PsdHeader): boolean => {
  const at = large ? 8 : 4
  return layers.length >= at + 2 && layers.readInt16BE(at) < 0
}

/** Whether the file contains the merged image. Programs may leave it out. */
const isMerged = (resources: Buffer): boolean => {
  const version = findPsdResource(resources, PSD_RESOURCE.version)
  return version === undefined || version.length < 5 || version[4] !== 0
}

const coloursOf = (resources: Buffer, mode: PsdHeader['mode']): StoredColours => {
  const icc = mode === 'rgb' || mode === 'indexed' ? findPsdResource(resources, PSD_RESOURCE.profile) : undefined
  return icc !== undefined && icc.length > 128 && icc.toString('latin1', 16, 20) === 'RGB '
    ? { kind: 'profile', icc }
    : { kind: 'srgb' }
}

/** Returns a function that reads 8-bit samples of a channel. Deep samples lose their low byte. */
const channelReader = (samples: Uint8Array, { width, height, depth }: PsdHeader) => {
  const rowBytes = Math.ceil((width * depth) / 8)
  return (channel: number, pixel: number): number => {
    const start = channel * height * rowBytes
    if (depth === 8) return samples[start + pixel]!
    if (depth === 16) return samples[start + pixel * 2]!
    const [y, x] = [Math.floor(pixel / width), pixel % width]
    return ((samples[start + y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1) === 1 ? 0 : 255
  }
}

/** Removes the white that the merged image is blended with. */
const offWhite = (level: number, alpha: number): number =>
  alpha === 0 ? 255 : Math.max(0, Math.min(255, Math.round(((level - 255 + alpha) * 255) / alpha)))

const COLOURS = { bitmap: 1, grey: 1, indexed: 1, rgb: 3, cmyk: 4, other: 1 } as const

const assemble = (samples: Uint8Array, header: PsdHeader, palette: Buffer, transparent: boolean): Uint8Array => {
  const { width, height, mode } = header
  const sample = channelReader(samples, header)
  const channels = transparent ? 4 : 3
  const data = new Uint8Array(width * height * channels)
  for (let pixel = 0; pixel < width * height; pixel++) {
    const alpha = transparent ? sample(COLOURS[mode], pixel) : 255
    for (let c = 0; c < 3; c++) {
      const level =
        mode === 'indexed' ? (palette[c * 256 + sample(0, pixel)] ?? 0) : sample(mode === 'rgb' ? c : 0, pixel)
      data[pixel * channels + c] = alpha === 255 ? level : offWhite(level, alpha)
    }
    if (transparent) data[pixel * channels + 3] = alpha
  }
  return data
}

/** The merged image of a Photoshop file, PSD or PSB: bitmap, grey, palette and RGB with 8 or 16 bits. */
export const decodePsd: ForeignDecoder = async (source): Promise<StoredImage> => {
  const file = await readFile(source.path)
  const header = readPsdHeader(file)
  if (header === undefined || psdObstacle(header) !== undefined) throw new Error('PSD: the header has changed')
  const { width, height, channels, mode } = header
  requirePixels(width, height, source)
  const { palette, resources, layers, merged } = sectionsOf(file, header)
  if (!isMerged(resources)) throw fail('FORMAT_UNSUPPORTED', 'a Photoshop file without a merged picture')
  const transparent = channels > COLOURS[mode] && hasTransparency(layers, header)
  const used = COLOURS[mode] + (transparent ? 1 : 0)
  if (channels < used) throw new Error('PSD: channels are missing')
  const { samples, truncated } = unpackChannels(merged, header, used)
  const data = assemble(samples, header, palette, transparent)
  return { width, height, channels: transparent ? 4 : 3, data, colours: coloursOf(resources, mode), truncated }
}
