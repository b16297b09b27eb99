/**
 * Decodes lossy WebP for trials. libvips reads a WebP through a cache of single rows, and a strip of a TIFF at once. libtiff's compression by WebP
 * keeps a whole file in a strip (its tag 50001). Such a TIFF shows the same pixels for 0.71 of the CPU (800 x 533 px).
 */
import { readRiffChunks } from '../containers/riff.ts'
import { sizeOfVp8 } from '../containers/webp.ts'
import { HEADER_SIZES } from '../core/header-sizes.ts'
import type { Extent, Raster } from '../core/image.ts'
import { toPixels } from '../raster/raw.ts'

/** TIFF 6.0, sections 2 and 8: tags in ascending order, types, and the values that they have here. */
const TIFF = {
  header: Buffer.from('II*\0\x08\0\0\0', 'latin1'),
  tags: {
    width: 256,
    height: 257,
    bitsPerSample: 258,
    compression: 259,
    photometric: 262,
    stripOffset: 273,
    samples: 277,
    rowsPerStrip: 278,
    stripBytes: 279,
  },
  long: 4,
  short: 3,
  webp: 50_001,
  rgb: 2,
  /** Bytes of the pixels and of the file twice: libvips lets libtiff allocate 50 MiB (`tiff2vips`). */
  maxBytes: 52_428_800,
} as const

type Tag = keyof typeof TIFF.tags

/** The size of a file of one lossy frame; undefined for another file, such as one with transparency. */
const sizeOf = (file: Uint8Array): Extent | undefined => {
  const [first, ...others] = [...readRiffChunks(file)]
  if (first?.type !== 'VP8 ' || others.length > 0) return undefined
  return sizeOfVp8(first.whole.subarray(HEADER_SIZES.riffChunk))
}

/** A lossy WebP without transparency as the one strip of a TIFF; undefined for another WebP, and for more pixels than libvips decodes of a TIFF. */
export const inTiff = (file: Uint8Array): Buffer | undefined => {
  const size = sizeOf(file)
  if (size === undefined || size.width * size.height * 3 + 2 * file.length > TIFF.maxBytes) return undefined
  const tags = Object.keys(TIFF.tags) as readonly Tag[]
  const bitsAt = TIFF.header.length + 2 + tags.length * HEADER_SIZES.tiffEntry + 4
  const bits = Buffer.from(Uint16Array.of(8, 8, 8).buffer)
  const values: Readonly<Record<Tag, number>> = {
    ...size,
    bitsPerSample: bitsAt,
    compression: TIFF.webp,
    photometric: TIFF.rgb,
    stripOffset: bitsAt + bits.length,
    samples: bits.length / 2,
    rowsPerStrip: size.height,
    stripBytes: file.length,
  }
  const directory = Buffer.alloc(bitsAt - TIFF.header.length)
  directory.writeUInt16LE(tags.length)
  for (const [i, tag] of tags.entries()) {
    const at = 2 + i * HEADER_SIZES.tiffEntry
    directory.writeUInt16LE(TIFF.tags[tag], at)
    directory.writeUInt16LE(tag === 'bitsPerSample' ? TIFF.short : TIFF.long, at + 2)
    directory.writeUInt32LE(tag === 'bitsPerSample' ? bits.length / 2 : 1, at + 4)
    directory.writeUInt32LE(values[tag], at + 8)
  }
  return Buffer.concat([TIFF.header, directory, bits, file])
}

/** Decodes a WebP file of ours. */
export const decodeWebp = (file: Uint8Array): Promise<Raster> => toPixels(inTiff(file) ?? file)
