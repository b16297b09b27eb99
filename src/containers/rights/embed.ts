import type { Orientation, StillFormat } from '../../core/image.ts'
import { withAvifItems } from '../avif-items.ts'
import { EXIF_PREFIX } from '../exif.ts'
import { GIF_BLOCK, GIF_EXTENSION } from '../gif.ts'
import { writeBox } from '../isobmff.ts'
import { JPEG_MARKER, type JpegSegment, readJpegHead, writeJpegSegment, XMP_PREFIX } from '../jpeg.ts'
import { PNG_SIGNATURE, readPngChunks, writePngChunk } from '../png.ts'
import { writeRiff, writeRiffChunk } from '../riff.ts'
import { extendedChunks, WEBP_FLAG } from '../webp.ts'
import { writeExifRights } from './exif.ts'
import { type Rights, rightsFor } from './fields.ts'
import { writeIptcRights } from './iptc.ts'
import { writeXmpRights } from './xmp.ts'

/** Blocks of metadata without the wrapper of a format. */
interface Blocks {
  readonly exif: Buffer | undefined
  readonly iptc: Buffer | undefined
  readonly xmp: Buffer | undefined
}

const { APP0, APP1, APP13 } = JPEG_MARKER

const isExif = (jpeg: Buffer, { marker, start }: JpegSegment): boolean =>
  marker === APP1 && jpeg.toString('latin1', start + 4, start + 4 + EXIF_PREFIX.length) === EXIF_PREFIX

/** JFIF must stay first. An Exif block that has only the orientation is replaced by one with both. */
const inJpeg = (jpeg: Buffer, { exif, iptc, xmp }: Blocks): Buffer => {
  const segments = [...readJpegHead(jpeg)]
  const first = segments[0]
  const at = first?.marker === APP0 ? first.end : 2
  const old = exif === undefined ? undefined : segments.find((segment) => isExif(jpeg, segment))
  const rest = old === undefined ? [jpeg.subarray(at)] : [jpeg.subarray(at, old.start), jpeg.subarray(old.end)]
  const prefixed = (prefix: string, block: Buffer): Buffer => Buffer.concat([Buffer.from(prefix, 'latin1'), block])
  return Buffer.concat([
    jpeg.subarray(0, at),
    ...(exif === undefined ? [] : [writeJpegSegment(APP1, prefixed(EXIF_PREFIX, exif))]),
    ...(xmp === undefined ? [] : [writeJpegSegment(APP1, prefixed(XMP_PREFIX, xmp))]),
    ...(iptc === undefined ? [] : [writeJpegSegment(APP13, iptc)]),
    ...rest,
  ])
}

/** Keyword and flags of an iTXt chunk that holds XMP uncompressed (XMP specification part 3, section 1.1.5). */
const PNG_XMP = Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1')

const inPng = (png: Buffer, { exif, xmp }: Blocks): Buffer => {
  const chunks = [...readPngChunks(png)].filter(({ type }) => type !== 'eXIf' || exif === undefined)
  const pixels = chunks.findIndex(({ type }) => type === 'IDAT')
  return Buffer.concat([
    PNG_SIGNATURE,
    ...chunks.slice(0, pixels).map(({ whole }) => whole),
    ...(exif === undefined ? [] : [writePngChunk('eXIf', exif)]),
    ...(xmp === undefined ? [] : [writePngChunk('iTXt', Buffer.concat([PNG_XMP, xmp]))]),
    ...chunks.slice(pixels).map(({ whole }) => whole),
  ])
}

const inWebp = (webp: Buffer, { exif, xmp }: Blocks): Buffer => {
  const flags = (exif === undefined ? 0 : WEBP_FLAG.EXIF) | (xmp === undefined ? 0 : WEBP_FLAG.XMP)
  const chunks = extendedChunks(webp, flags).filter(
    (chunk) => exif === undefined || chunk.toString('latin1', 0, 4) !== 'EXIF',
  )
  return writeRiff('WEBP', [
    ...chunks,
    ...(exif === undefined ? [] : [writeRiffChunk('EXIF', exif)]),
    ...(xmp === undefined ? [] : [writeRiffChunk('XMP ', xmp)]),
  ])
}

/** An Exif item begins with the offset of its TIFF header (ISO/IEC 23008-12, annex A.2.1). */
const inAvif = (avif: Buffer, { exif, xmp }: Blocks): Buffer =>
  withAvifItems(avif, [
    ...(exif === undefined ? [] : [{ type: 'Exif', data: Buffer.concat([Buffer.alloc(4), exif]) } as const]),
    ...(xmp === undefined ? [] : [{ type: 'mime', contentType: 'application/rdf+xml', data: xmp } as const]),
  ])

/** After the packet 1, 255, 254, … 0, 0: a reader of sub-blocks that lands on any of these bytes reaches the end (XMP part 3, section 1.1.2). */
const GIF_TRAILER = Buffer.from([1, ...Array.from({ length: 256 }, (_, i) => 255 - i), 0])

const inGif = (gif: Buffer, { xmp }: Blocks): Buffer => {
  if (xmp === undefined || gif.at(-1) !== GIF_BLOCK.TRAILER) return gif
  const head = Buffer.concat([
    Buffer.of(GIF_BLOCK.EXTENSION, GIF_EXTENSION.APPLICATION, 11),
    Buffer.from('XMP DataXMP', 'latin1'),
  ])
  return Buffer.concat([gif.subarray(0, -1), head, xmp, GIF_TRAILER, Buffer.of(GIF_BLOCK.TRAILER)])
}

/** The first boxes of a JPEG XL file (ISO/IEC 18181-2, sections 9.1 and 9.2). */
const JXL_HEAD = Buffer.concat([
  writeBox('JXL ', Buffer.of(0x0d, 0x0a, 0x87, 0x0a)),
  writeBox('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1')),
])

/** Wraps a bare codestream in a container. Its Exif box begins with the offset of the TIFF header, as in AVIF. */
const inJxl = (codestream: Buffer, { exif, xmp }: Blocks): Buffer =>
  Buffer.concat([
    JXL_HEAD,
    ...(exif === undefined ? [] : [writeBox('Exif', Buffer.alloc(4), exif)]),
    ...(xmp === undefined ? [] : [writeBox('xml ', xmp)]),
    writeBox('jxlc', codestream),
  ])

const WRITERS: Readonly<Record<StillFormat, (file: Buffer, blocks: Blocks) => Buffer>> = {
  jpeg: inJpeg,
  png: inPng,
  webp: inWebp,
  avif: inAvif,
  gif: inGif,
  jxl: inJxl,
}

/**
 * Adds rights to a file in the fewest bytes, and keeps the orientation of its Exif block. The file must have no other metadata, and no mark
 * or gain map yet. Throws for an AVIF that libheif did not write.
 */
export const withRights = (
  format: StillFormat,
  file: Uint8Array,
  { rights, orientation }: { readonly rights: Rights; readonly orientation: Orientation },
): Buffer => {
  const own = rightsFor(format, rights)
  const blocks: Blocks = {
    exif: writeExifRights(own, orientation),
    iptc: writeIptcRights(own),
    xmp: writeXmpRights(own),
  }
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length)
  return own.size === 0 ? bytes : WRITERS[format](bytes, blocks)
}
