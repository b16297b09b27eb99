/** Format and size in pixels from the header of an image. A JPEG's orientation is applied. */
export interface ImageSize {
  readonly format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'jxl' | 'svg'
  readonly width: number
  readonly height: number
  /** Whether the image may have several frames: true for every GIF, and for PNG and WebP with the mark of an animation. */
  readonly animated: boolean
}

type Extent = Pick<ImageSize, 'width' | 'height'>

const textAt = (bytes: DataView, offset: number, length: number): string => {
  const end = Math.min(bytes.byteLength, offset + length)
  const start = Math.min(offset, end)
  return String.fromCharCode(...new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start))
}

const uint24 = (bytes: DataView, offset: number): number =>
  bytes.getUint16(offset, true) | (bytes.getUint8(offset + 2) << 16)

/** Whether a JPEG marker starts a frame (SOF0 to SOF15). DHT, JPG and DAC lie in the same range. */
const isStartOfFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Whether the Exif block at `offset` swaps width and height (orientations 5 to 8). Returns undefined for another block. */
const swapsSides = (bytes: DataView, offset: number): boolean | undefined => {
  if (textAt(bytes, offset, 6) !== 'Exif\0\0') return undefined
  const tiff = offset + 6
  const little = textAt(bytes, tiff, 2) === 'II'
  const directory = tiff + bytes.getUint32(tiff + 4, little)
  const entries = bytes.getUint16(directory, little)
  for (let entry = directory + 2; entry < directory + 2 + entries * 12; entry += 12)
    if (bytes.getUint16(entry, little) === 0x0112) return bytes.getUint16(entry + 8, little) >= 5
  return false
}

const readJpeg = (bytes: DataView): Extent | undefined => {
  // One block counts: an image of many could name a long directory in each.
  let isSwapped: boolean | undefined
  for (let offset = 2; bytes.getUint8(offset) === 0xff; offset += 2 + bytes.getUint16(offset + 2)) {
    const marker = bytes.getUint8(offset + 1)
    if (marker === 0xe1) isSwapped ??= swapsSides(bytes, offset + 4)
    if (!isStartOfFrame(marker)) continue
    const [height, width] = [bytes.getUint16(offset + 5), bytes.getUint16(offset + 7)]
    return isSwapped === true ? { width: height, height: width } : { width, height }
  }
  return undefined
}

const readWebp = (bytes: DataView): Extent | undefined => {
  const chunk = textAt(bytes, 12, 4)
  if (chunk === 'VP8X') return { width: uint24(bytes, 24) + 1, height: uint24(bytes, 27) + 1 }
  if (chunk === 'VP8 ') return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff }
  if (chunk !== 'VP8L') return undefined
  const bits = bytes.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** Bytes to search for sizes. The properties precede the image data. */
const AVIF_HEAD = 4096

/** Returns the largest `ispe` size: tiles of a grid are smaller, an alpha plane has the same size. */
const readAvif = (bytes: DataView): Extent | undefined => {
  const sizes: Extent[] = []
  const head = textAt(bytes, 0, AVIF_HEAD)
  for (let at = head.indexOf('ispe'); at >= 0; at = head.indexOf('ispe', at + 4))
    sizes.push({ width: bytes.getUint32(at + 8), height: bytes.getUint32(at + 12) })
  return sizes.toSorted((one, other) => other.width * other.height - one.width * one.height)[0]
}

/** Bytes to search for the root tag. */
const SVG_HEAD = 16_384

const SVG_WIDTH = /\swidth=["']([0-9.]+)(?:px)?["']/
const SVG_HEIGHT = /\sheight=["']([0-9.]+)(?:px)?["']/

const readSvg = (text: string): Extent | undefined => {
  const [tag = ''] = /<svg\s[^>]*>/.exec(text) ?? []
  const side = (attribute: RegExp): number => Number(attribute.exec(tag)?.[1])
  const [, , , boxWidth, boxHeight] =
    /\sviewBox=["']\s*([-0-9.e]+)[\s,]+([-0-9.e]+)[\s,]+([0-9.e]+)[\s,]+([0-9.e]+)/.exec(tag) ?? []
  const [width, height] = [side(SVG_WIDTH) || Number(boxWidth), side(SVG_HEIGHT) || Number(boxHeight)]
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** Bytes to search for acTL. It precedes IDAT, but may follow a colour profile. */
const PNG_HEAD = 16_384

const isApng = (bytes: DataView): boolean => (textAt(bytes, 0, PNG_HEAD).split('IDAT')[0] ?? '').includes('acTL')

/** Tests the animation flag, bit 1 of VP8X. */
const isAnimatedWebp = (bytes: DataView): boolean =>
  textAt(bytes, 12, 4) === 'VP8X' && (bytes.getUint8(20) & 0x02) !== 0

interface FormatReader {
  readonly format: ImageSize['format']
  readonly matches: (bytes: DataView) => boolean
  readonly read: (bytes: DataView) => Extent | undefined
  readonly isAnimated?: (bytes: DataView) => boolean
}

/**
 * Reads SizeHeader of a bare JPEG XL codestream (ISO/IEC 18181-1), lowest bits first. The service writes both sides. Returns
 * undefined for a header that stores an aspect ratio instead of the width.
 */
const readJxl = (bytes: DataView): Extent | undefined => {
  let at = 16
  const bits = (count: number): number => {
    let value = 0
    for (let i = 0; i < count; i++, at++) value += ((bytes.getUint8(at >> 3) >> (at & 7)) & 1) * 2 ** i
    return value
  }
  const isSmall = bits(1) === 1
  const side = (): number => (isSmall ? (bits(5) + 1) * 8 : bits([9, 13, 18, 30][bits(2)]!) + 1)
  const height = side()
  return bits(3) === 0 ? { width: side(), height } : undefined
}

const READERS: readonly FormatReader[] = [
  { format: 'jpeg', matches: (bytes) => bytes.getUint16(0) === 0xffd8, read: readJpeg },
  {
    format: 'png',
    matches: (bytes) => textAt(bytes, 1, 3) === 'PNG',
    read: (bytes) => ({ width: bytes.getUint32(16), height: bytes.getUint32(20) }),
    isAnimated: isApng,
  },
  {
    format: 'gif',
    matches: (bytes) => textAt(bytes, 0, 4) === 'GIF8',
    read: (bytes) => ({ width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) }),
    isAnimated: () => true,
  },
  { format: 'webp', matches: (bytes) => textAt(bytes, 8, 4) === 'WEBP', read: readWebp, isAnimated: isAnimatedWebp },
  { format: 'avif', matches: (bytes) => /^ftypavi[fs]/.test(textAt(bytes, 4, 8)), read: readAvif },
  { format: 'jxl', matches: (bytes) => bytes.getUint16(0) === 0xff0a, read: readJxl },
  {
    format: 'svg',
    matches: (bytes) => textAt(bytes, 0, SVG_HEAD).includes('<svg'),
    read: (bytes) => readSvg(textAt(bytes, 0, SVG_HEAD)),
  },
]

/** Returns the format and size of an image. Returns undefined for other formats and for truncated headers. */
export const sizeOf = (image: Uint8Array): ImageSize | undefined => {
  const bytes = new DataView(image.buffer, image.byteOffset, image.byteLength)
  try {
    const reader = READERS.find(({ matches }) => matches(bytes))
    const extent = reader?.read(bytes)
    if (reader === undefined || extent === undefined) return undefined
    return { format: reader.format, ...extent, animated: reader.isAnimated?.(bytes) === true }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
