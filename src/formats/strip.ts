import type { Orientation } from '../core/image.ts'

/** What may stay in a source's own bytes (§3.5): the Orientation tag and a profile that is not sRGB. */
export interface Kept {
  readonly orientation: Orientation
  /** Keep the colour profile (and gamma, chromaticities) of the file. */
  readonly profile: boolean
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

/** Minimal Exif (TIFF, big-endian) that holds the orientation alone. */
const orientationTiff = (orientation: Orientation): Uint8Array =>
  Uint8Array.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0])

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c
})
const crc32 = (bytes: Uint8Array): number => {
  let c = 0xffffffff
  for (const byte of bytes) c = crcTable[(c ^ byte) & 255]! ^ (c >>> 8)
  return (c ^ 0xffffffff) >>> 0
}

const pngChunk = (type: string, data: Uint8Array): Uint8Array => {
  const chunk = new Uint8Array(12 + data.length)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, data.length)
  chunk.set(Buffer.from(type, 'latin1'), 4)
  chunk.set(data, 8)
  view.setUint32(8 + data.length, crc32(chunk.subarray(4, 8 + data.length)))
  return chunk
}

/** Chunks that pixels need; animation included. */
const PNG_NEEDED: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'acTL', 'fcTL', 'fdAT'])
const PNG_COLOUR: ReadonlySet<string> = new Set(['iCCP', 'gAMA', 'cHRM', 'cICP'])

/** A PNG without what is not needed to show it. What follows damage is left out. */
export const stripPng = (png: Uint8Array, kept: Kept): Uint8Array => {
  const view = new DataView(png.buffer, png.byteOffset, png.length)
  const parts: Uint8Array[] = [png.subarray(0, 8)]
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 12 + view.getUint32(at)
    const type = latin1(png.subarray(at + 4, at + 8))
    if (PNG_NEEDED.has(type) || (kept.profile && PNG_COLOUR.has(type)))
      parts.push(png.subarray(at, Math.min(end, png.length)))
    if (type === 'IHDR' && kept.orientation > 1) parts.push(pngChunk('eXIf', orientationTiff(kept.orientation)))
    if (type === 'IEND') break
    at = end
  }
  return Buffer.concat(parts)
}

const skipSubBlocks = (gif: Uint8Array, from: number): number => {
  let at = from
  while (at < gif.length && gif[at] !== 0) at += gif[at]! + 1
  return at + 1
}

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

/** A GIF without comments and foreign application blocks; the loop count stays. What cannot be read is copied as it is. */
export const stripGif = (gif: Uint8Array): Uint8Array => {
  const head = 13 + tableBytes(gif[10] ?? 0)
  const parts: Uint8Array[] = [gif.subarray(0, head)]
  let at = head
  while (at < gif.length) {
    const from = at
    if (gif[at] === 0x21) {
      const label = gif[at + 1]
      at = skipSubBlocks(gif, at + 2)
      const name = latin1(gif.subarray(from + 3, from + 14))
      if (label === 0xfe || (label === 0xff && name !== 'NETSCAPE2.0' && name !== 'ANIMEXTS1.0')) continue
      parts.push(gif.subarray(from, at))
    } else if (gif[at] === 0x2c) {
      at = skipSubBlocks(gif, at + 11 + tableBytes(gif[at + 9] ?? 0))
      parts.push(gif.subarray(from, at))
    } else {
      // The trailer, or damage.
      parts.push(gif[at] === 0x3b ? gif.subarray(at, at + 1) : gif.subarray(at))
      break
    }
  }
  return Buffer.concat(parts)
}

/** JPEG segments that are not pixels: APP1 to APP13, APP15 and comments; APP0 and APP14 decide the colours. */
const isJpegMetadata = (marker: number): boolean =>
  (marker > 0xe0 && marker <= 0xef && marker !== 0xee) || marker === 0xfe

const isProfile = (segment: Uint8Array): boolean =>
  segment[1] === 0xe2 && latin1(segment.subarray(4, 15)) === 'ICC_PROFILE'

/** A JPEG without metadata, its scans copied as they are: for files whose coefficients cannot be stored anew. */
export const stripJpeg = (jpeg: Uint8Array, kept: Kept): Uint8Array => {
  const parts: Uint8Array[] = [jpeg.subarray(0, 2)]
  if (kept.orientation > 1) {
    const tiff = orientationTiff(kept.orientation)
    parts.push(Uint8Array.from([0xff, 0xe1, 0, 8 + tiff.length, 0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff]))
  }
  let at = 2
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== 0xda) {
    if (jpeg[at + 1] === 0xff) {
      at += 1
      continue
    }
    const end = at + 2 + ((jpeg[at + 2]! << 8) | jpeg[at + 3]!)
    const segment = jpeg.subarray(at, end)
    if (!isJpegMetadata(jpeg[at + 1]!) || (kept.profile && isProfile(segment))) parts.push(segment)
    at = end
  }
  parts.push(jpeg.subarray(at))
  return Buffer.concat(parts)
}
