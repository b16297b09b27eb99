/** Writers of bitmaps, icons and Photoshop files for tests. Numbers are little-endian, in Photoshop files big-endian. */

export const le16 = (value: number): Buffer => Buffer.of(value & 255, (value >> 8) & 255)
export const le32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value | 0)
  return bytes
}

export interface BitmapFields {
  readonly width: number
  /** Negative: top row first. */
  readonly height: number
  readonly bits: number
  readonly compression?: number
  /** After a header of 40 bytes, or inside a longer one. */
  readonly masks?: readonly number[]
  readonly headerBytes?: 40 | 56 | 108 | 124
  readonly palette?: Buffer
}

/** A header of 40 bytes or more with its masks and palette. */
export const dib = (fields: BitmapFields): Buffer => {
  const { width, height, bits, compression = 0, masks = [], headerBytes = 40, palette = Buffer.alloc(0) } = fields
  const start = [le32(headerBytes), le32(width), le32(height), le16(1), le16(bits), le32(compression), Buffer.alloc(12)]
  const header = Buffer.concat([...start, le32(palette.length / 4), le32(0), ...masks.map(le32)])
  return Buffer.concat([header, Buffer.alloc(Math.max(0, headerBytes - header.length)), palette])
}

/** A BMP file of a header and pixels. */
export const bmp = (header: Buffer, pixels: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('BM'),
    le32(14 + header.length + pixels.length),
    le32(0),
    le32(14 + header.length),
    header,
    pixels,
  ])

/** An icon with images, each with the side in its directory entry. */
export const ico = (
  images: readonly { readonly side: number; readonly bits: number; readonly data: Buffer }[],
): Buffer => {
  let offset = 6 + images.length * 16
  const entries = images.map(({ side, bits, data }) => {
    const entry = [Buffer.of(side & 255, side & 255, 0, 0), le16(1), le16(bits), le32(data.length), le32(offset)]
    offset += data.length
    return Buffer.concat(entry)
  })
  return Buffer.concat([le16(0), le16(1), le16(images.length), ...entries, ...images.map(({ data }) => data)])
}

const be16 = (value: number): Buffer => Buffer.of((value >> 8) & 255, value & 255)
const be32 = (value: number): Buffer => le32(value).reverse()
const behindLength = (content: Buffer): Buffer => Buffer.concat([be32(content.length), content])

export interface PsdFields {
  readonly width: number
  readonly height: number
  readonly depth?: number
  /** 0 bitmap, 1 grey, 2 indexed, 3 RGB, 4 CMYK, 9 Lab. */
  readonly mode?: number
  /** Samples of each channel. */
  readonly planes: readonly Buffer[]
  readonly palette?: Buffer
  readonly transparent?: boolean
  readonly resources?: readonly (readonly [number: number, content: Buffer])[]
  /** 0 raw, 2 deflated. */
  readonly compression?: number
}

/** A Photoshop file with one merged picture. */
export const psd = (fields: PsdFields): Buffer => {
  const { width, height, depth = 8, mode = 3, planes, palette, transparent, resources = [], compression = 0 } = fields
  const header = [be16(1), Buffer.alloc(6), be16(planes.length), be32(height), be32(width), be16(depth), be16(mode)]
  const all = resources.map(([number, content]) =>
    Buffer.concat([
      Buffer.from('8BIM'),
      be16(number),
      be16(0),
      behindLength(content),
      Buffer.alloc(content.length & 1),
    ]),
  )
  const layers = transparent === true ? behindLength(be16(-1 & 0xffff)) : Buffer.alloc(0)
  return Buffer.concat([
    Buffer.from('8BPS'),
    ...header,
    behindLength(palette ?? Buffer.alloc(0)),
    behindLength(Buffer.concat(all)),
    behindLength(layers),
    be16(compression),
    ...planes,
  ])
}
