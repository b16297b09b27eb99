/** Detects a C2PA manifest (C2PA 2.1, appendix A): signed statements about who made and changed the file. A result cannot keep it, since its pixels differ from the signed ones. */
import type { SourceFormat } from '../core/image.ts'
import { GIF_EXTENSION, readGifBlocks } from './gif.ts'
import { boxesOf } from './isobmff.ts'
import { JPEG_MARKER, readJpegHead } from './jpeg.ts'
import { readPngChunks } from './png.ts'
import { readRiffChunks } from './riff.ts'

/** The label of a manifest store in JUMBF. */
const LABEL = 'c2pa'
/** Identifier of the `uuid` box. */
const UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')

const some = <T>(items: Iterable<T>, is: (item: T) => boolean): boolean => {
  for (const item of items) if (is(item)) return true
  return false
}

const inJpeg = (file: Buffer): boolean =>
  some(
    readJpegHead(file),
    ({ marker, start, end }) => marker === JPEG_MARKER.APP11 && file.subarray(start, end).includes(LABEL, 0, 'latin1'),
  )

const inBoxes = (file: Buffer): boolean =>
  some(
    boxesOf(file, 0, file.length),
    ({ name, start }) => name === 'uuid' && file.subarray(start, start + 16).equals(UUID),
  )

const FINDERS: Partial<Record<SourceFormat, (file: Buffer) => boolean>> = {
  jpeg: inJpeg,
  png: (file) => some(readPngChunks(file), ({ type }) => type === 'caBX'),
  gif: (file) =>
    some(
      readGifBlocks(file),
      ({ label, whole }) => label === GIF_EXTENSION.APPLICATION && whole.toString('latin1', 3, 11) === 'C2PA_GIF',
    ),
  webp: (file) => some(readRiffChunks(file), ({ type }) => type === 'C2PA'),
  avif: inBoxes,
  heic: inBoxes,
}

/** Whether the file has a C2PA manifest. False for formats that are not searched. */
export const holdsContentCredentials = (format: SourceFormat, file: Uint8Array): boolean =>
  FINDERS[format]?.(Buffer.from(file.buffer, file.byteOffset, file.length)) ?? false
