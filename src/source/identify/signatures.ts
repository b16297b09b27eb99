import { type Failure, fail } from '../../core/failure.ts'
import { readBmp } from './bmp.ts'
import { readGif } from './gif.ts'
import { readHeif } from './heif.ts'
import { readIco } from './ico.ts'
import { readJpegHeader } from './jpeg.ts'
import { readJxl } from './jxl.ts'
import { readPng } from './png.ts'
import { readPsd } from './psd.ts'
import type { ReadHeader } from './reader.ts'
import { readTiff } from './tiff.ts'
import { readWebp } from './webp.ts'

/** The meaning of a file's first bytes: a reader of its format, or the failure to return. */
export type Meaning =
  | { readonly kind: 'read'; readonly read: ReadHeader }
  | { readonly kind: 'refuse'; readonly failure: Failure }

const read =
  (header: ReadHeader): (() => Meaning) =>
  () => ({ kind: 'read', read: header })
const refuse = (failure: Failure): Meaning => ({ kind: 'refuse', failure })
const unsupported = (name: string) => () => refuse(fail('FORMAT_UNSUPPORTED', name))
const noImage = (name: string) => () => refuse(fail('NOT_AN_IMAGE', name))

/** Brands of the HEIF family. Checks the major and the compatible brands; the first row that matches counts. */
const BRANDS: readonly (readonly [RegExp, () => Meaning])[] = [
  [/^crx $/, unsupported('a camera raw file')],
  [/^(avi[fs]|hei[cmxs]|hev[cmxs]|mif1|msf1|miaf)$/, read(readHeif)],
]

const readBrands = (head: Buffer): Meaning => {
  const end = Math.min(head.readUInt32BE(0), head.length)
  const brands = [head.toString('latin1', 8, 12)]
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4))
  const meaning = BRANDS.find(([pattern]) => brands.some((brand) => pattern.test(brand)))?.[1]
  return (meaning ?? noImage('an MP4 video'))()
}

/** Patterns of the first bytes, one Latin-1 character each. The first row that matches counts. */
const SIGNATURES: readonly (readonly [RegExp, (head: Buffer) => Meaning])[] = [
  [/^\xff\xd8/, read(readJpegHeader)],
  [/^\x89PNG\r\n\x1a\n/, read(readPng)],
  // The PNG signature breaks when a transfer converts line ends. This file was a PNG.
  [/^\x89PNG/, () => refuse(fail('SOURCE_DAMAGED'))],
  [/^GIF8[79]a/, read(readGif)],
  [/^RIFF.{4}WEBP/s, read(readWebp)],
  [/^II\*\0.{4}CR/s, unsupported('a camera raw file')],
  [/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/, read(readTiff)],
  [/^.{4}ftyp/s, readBrands],
  [/^\xff\x0a|^\0\0\0\x0cJXL /, read(readJxl)],
  [/^\0\0\0\x0cjP {2}|^\xff\x4f\xff\x51/, unsupported('a JPEG 2000 image')],
  [/^II\xbc[\0\x01]/, unsupported('a JPEG XR image')],
  [/^BM.{4}\0\0\0\0|^BM.{12}[\x0c-\x7c]\0\0\0/s, read(readBmp)],
  [/^\0\0[\x01\x02]\0.[^\0]?.*\0/s, read(readIco)],
  [/^8BPS/, read(readPsd)],
  [/^[\x8a\x8b][MJ]NG\r\n/, unsupported('an MNG or JNG image')],
  [/^P[1-7][ \t\r\n#]/, unsupported('a PNM image')],
  [/^\x76\x2f\x31\x01/, unsupported('an OpenEXR image')],
  [/^#\?(RADIANCE|RGBE)/, unsupported('a Radiance image')],
  [/^qoif/, unsupported('a QOI image')],
  [/^DDS /, unsupported('a DDS texture')],
  [/^AT&TFORM/, unsupported('a DjVu document')],
  [/^\xc5\xd0\xd3\xc6/, unsupported('an EPS file')],
  [/^%PDF-/, noImage('a PDF document')],
  [/^PK(\x03\x04|\x05\x06)/, noImage('a ZIP archive or an office document')],
  [/^(Rar!\x1a|7z\xbc\xaf|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd)/, noImage('an archive')],
  [/^RIFF.{4}(AVI |WAVE)/s, noImage('a video or sound file')],
  [/^(\x1a\x45\xdf\xa3|OggS|FLV\x01|\0\0\x01[\xb3\xba]|ID3|fLaC)/, noImage('a video or sound file')],
  [/^(wOF[F2]|OTTO|\0\x01\0\0\0|ttcf)/, noImage('a font')],
  [/^(MZ|\x7fELF|\xca\xfe\xba\xbe|\0asm)/, noImage('a program')],
]

/** The meaning of a file's first bytes. undefined without a known signature, as for text. */
export const meaningOf = (head: Buffer): Meaning | undefined => {
  const text = head.toString('latin1', 0, 32)
  return SIGNATURES.find(([pattern]) => pattern.test(text))?.[1](head)
}
