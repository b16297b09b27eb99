/** Facts of an image's header; pixels after a JPEG's orientation. */
export interface ImageSize {
  readonly format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'jxl' | 'svg'
  readonly width: number
  readonly height: number
  /** Whether it may move: every GIF, PNG and WebP that say so. */
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

/** Start of frame of every coding, apart from DHT, JPG and DAC, which lie among them. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Whether the Exif block that begins at an offset turns the image on its side (orientations 5 to 8). */
const isTurned = (bytes: DataView, offset: number): boolean => {
  if (textAt(bytes, offset, 6) !== 'Exif\0\0') return false
  const tiff = offset + 6
  const little = textAt(bytes, tiff, 2) === 'II'
  const directory = tiff + bytes.getUint32(tiff + 4, little)
  const entries = bytes.getUint16(directory, little)
  for (let entry = directory + 2; entry < directory + 2 + entries * 12; entry += 12)
    if (bytes.getUint16(entry, little) === 0x0112) return bytes.getUint16(entry + 8, little) >= 5
  return false
}

const ofJpeg = (bytes: DataView): Extent | undefined => {
  let turned = false
  for (let offset = 2; bytes.getUint8(offset) === 0xff; offset += 2 + bytes.getUint16(offset + 2)) {
    const marker = bytes.getUint8(offset + 1)
    if (marker === 0xe1) turned ||= isTurned(bytes, offset + 4)
    if (!isFrame(marker)) continue
    const [height, width] = [bytes.getUint16(offset + 5), bytes.getUint16(offset + 7)]
    return turned ? { width: height, height: width } : { width, height }
  }
  return undefined
}

const ofWebp = (bytes: DataView): Extent | undefined => {
  const chunk = textAt(bytes, 12, 4)
  if (chunk === 'VP8X') return { width: uint24(bytes, 24) + 1, height: uint24(bytes, 27) + 1 }
  if (chunk === 'VP8 ') return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff }
  if (chunk !== 'VP8L') return undefined
  const bits = bytes.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** The properties of images lie in front of the data. */
const AVIF_HEAD = 4096

/** The largest of the sizes in it: tiles of a grid are smaller, alpha is as large. */
const ofAvif = (bytes: DataView): Extent | undefined => {
  const sizes: Extent[] = []
  const head = textAt(bytes, 0, AVIF_HEAD)
  for (let at = head.indexOf('ispe'); at >= 0; at = head.indexOf('ispe', at + 4))
    sizes.push({ width: bytes.getUint32(at + 8), height: bytes.getUint32(at + 12) })
  return sizes.toSorted((one, other) => other.width * other.height - one.width * one.height)[0]
}

/** A root tag is nearer than that. */
const SVG_HEAD = 16_384

const ofSvg = (text: string): Extent | undefined => {
  const [tag = ''] = /<svg\s[^>]*>/.exec(text) ?? []
  const side = (name: string): number => Number(new RegExp(`\\s${name}=["']([0-9.]+)(?:px)?["']`).exec(tag)?.[1])
  const [, , , boxWidth, boxHeight] =
    /\sviewBox=["']\s*([-0-9.e]+)[\s,]+([-0-9.e]+)[\s,]+([0-9.e]+)[\s,]+([0-9.e]+)/.exec(tag) ?? []
  const [width, height] = [side('width') || Number(boxWidth), side('height') || Number(boxHeight)]
  return width > 0 && height > 0 ? { width, height } : undefined
}

const PNG_HEAD = 16_384

/** acTL of APNG stands before the pixels, behind profiles and the like. */
const isApng = (bytes: DataView): boolean => (textAt(bytes, 0, PNG_HEAD).split('IDAT')[0] ?? '').includes('acTL')

/** Bit 1 of the flags of VP8X. */
const isAnimatedWebp = (bytes: DataView): boolean =>
  textAt(bytes, 12, 4) === 'VP8X' && (bytes.getUint8(20) & 0x02) !== 0

interface Kind {
  readonly format: ImageSize['format']
  readonly is: (bytes: DataView) => boolean
  readonly read: (bytes: DataView) => Extent | undefined
  readonly moves?: (bytes: DataView) => boolean
}

/** Sides of a JPEG XL codestream as this service writes it: SizeHeader (ISO/IEC 18181-1), the lowest bits first, without a ratio. */
const ofJxl = (bytes: DataView): Extent | undefined => {
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

const KINDS: readonly Kind[] = [
  { format: 'jpeg', is: (bytes) => bytes.getUint16(0) === 0xffd8, read: ofJpeg },
  {
    format: 'png',
    is: (bytes) => textAt(bytes, 1, 3) === 'PNG',
    read: (bytes) => ({ width: bytes.getUint32(16), height: bytes.getUint32(20) }),
    moves: isApng,
  },
  {
    format: 'gif',
    is: (bytes) => textAt(bytes, 0, 4) === 'GIF8',
    read: (bytes) => ({ width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) }),
    moves: () => true,
  },
  { format: 'webp', is: (bytes) => textAt(bytes, 8, 4) === 'WEBP', read: ofWebp, moves: isAnimatedWebp },
  { format: 'avif', is: (bytes) => /^ftypavi[fs]/.test(textAt(bytes, 4, 8)), read: ofAvif },
  { format: 'jxl', is: (bytes) => bytes.getUint16(0) === 0xff0a, read: ofJxl },
  {
    format: 'svg',
    is: (bytes) => textAt(bytes, 0, SVG_HEAD).includes('<svg'),
    read: (bytes) => ofSvg(textAt(bytes, 0, SVG_HEAD)),
  },
]

/** Format and size of an image by its header: of what the service returns, and of most sources. Undefined where it is another format, or cut off. */
export const sizeOf = (image: Uint8Array): ImageSize | undefined => {
  const bytes = new DataView(image.buffer, image.byteOffset, image.byteLength)
  try {
    const kind = KINDS.find(({ is }) => is(bytes))
    const extent = kind?.read(bytes)
    if (kind === undefined || extent === undefined) return undefined
    return { format: kind.format, ...extent, animated: kind.moves?.(bytes) === true }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
