/** Metadata that may go into a JPEG we write: the orientation tag and the colour profile, nothing else. */
export interface Keep {
  readonly orientation?: number
  readonly icc?: Uint8Array
}

const app = (n: number, data: Uint8Array): Uint8Array => {
  const out = new Uint8Array(4 + data.length)
  out.set([0xff, 0xe0 + n, (data.length + 2) >> 8, (data.length + 2) & 255])
  out.set(data, 4)
  return out
}

const text = (value: string): number[] => [...value].map((c) => c.charCodeAt(0))

/** Exif with the orientation tag alone (TIFF, big-endian, one entry of type SHORT). */
const exif = (orientation: number): Uint8Array =>
  app(1, Uint8Array.from([
    ...text('Exif'), 0, 0, ...text('MM'), 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
  ])) // biome-ignore format: bytes

/** A profile in pieces of at most 65519 bytes, each numbered (ICC.1 annex B.4); one that needs more than 255 is left out. */
const profile = (icc: Uint8Array): Uint8Array[] => {
  const size = 65519
  const count = Math.ceil(icc.length / size)
  if (count > 255) return []
  return Array.from({ length: count }, (_, i) => {
    const piece = icc.subarray(i * size, (i + 1) * size)
    const data = new Uint8Array(14 + piece.length)
    data.set([...text('ICC_PROFILE'), 0, i + 1, count])
    data.set(piece, 14)
    return app(2, data)
  })
}

/** The Adobe marker: which colour transform the components stand in (0 none, 1 YCbCr, 2 YCCK). */
export const adobeSegment = (transform: number): Uint8Array =>
  app(14, Uint8Array.from([...text('Adobe'), 0, 100, 0, 0, 0, 0, transform]))

/** The smallest JFIF marker: no density, no thumbnail. */
export const jfifSegment = (): Uint8Array => app(0, Uint8Array.from([...text('JFIF'), 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]))

/** The segments that carry what is kept. Orientation 1 says nothing and is left out. */
export const metadataSegments = ({ orientation, icc }: Keep): Uint8Array[] => [
  ...(orientation !== undefined && orientation > 1 && orientation <= 8 ? [exif(orientation)] : []),
  ...(icc && icc.length > 0 ? profile(icc) : []),
]
