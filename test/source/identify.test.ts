import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import type { SourceFacts } from '../../src/core/image.ts'
import { identify } from '../../src/source/identify.ts'
import { overlappingTiff } from '../hostile/attacks/bombs.ts'
import { makeSpoolDirectory, type SpoolDirectory } from './spool-directory.ts'

const FILES = fileURLToPath(new URL('../fixtures/source/', import.meta.url))

let directory: SpoolDirectory
let count = 0

beforeAll(async () => {
  directory = await makeSpoolDirectory()
})
afterAll(() => directory[Symbol.asyncDispose]())

const identifyBytes = async (bytes: Uint8Array): Promise<SourceFacts> => {
  const path = join(directory.path, String(count++))
  await writeFile(path, bytes)
  return identify(path)
}

it('refuses a pipe without waiting for its writer, and a folder', async () => {
  const pipe = join(directory.path, 'pipe')
  execFileSync('mkfifo', [pipe])
  await expect(identify(pipe)).rejects.toMatchObject({ code: 'NOT_AN_IMAGE', args: ['a pipe or device'] })
  await expect(identify(directory.path)).rejects.toMatchObject({ code: 'NOT_AN_IMAGE', args: ['a folder'] })
})

const failureOf = (bytes: Uint8Array): Promise<unknown> =>
  identifyBytes(bytes).then(
    (facts) => facts,
    (error) => (error instanceof Failure ? [error.code, ...error.args] : error),
  )

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255)
const u32 = (value: number): Buffer => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)])
const repeated = (bytes: Buffer, times: number): Buffer => Buffer.alloc(bytes.length * times, bytes)
const le16 = (value: number): Buffer => u16(value).reverse()

describe('known first bytes', () => {
  it('identifies a file by them without opening it', async () => {
    const name = (await readdir(FILES)).find((one) => one.endsWith('.png'))!
    const bytes = await readFile(join(FILES, name))
    const known = { bytes: bytes.length, start: bytes.subarray(0, 65_536) }
    expect(await identify(join(directory.path, 'missing'), known)).toEqual(await identifyBytes(bytes))
  })

  it('reads the file where the header lies beyond them', async () => {
    for (const name of await readdir(FILES)) {
      const path = join(FILES, name)
      const bytes = await readFile(path)
      const known = { bytes: bytes.length, start: bytes.subarray(0, 20) }
      const outcome = (facts: Promise<SourceFacts>) => facts.catch((error: Error) => error.message)
      expect([name, await outcome(identify(path, known))]).toEqual([name, await outcome(identify(path))])
    }
  })
})

describe('real files', () => {
  it.each<[string, Partial<SourceFacts>]>([
    [
      'pillow__hopper_orientation_6.jpg',
      { format: 'jpeg', width: 128, height: 128, orientation: 6, jpeg: { quality: 75, components: 3 }, alpha: false },
    ],
    ['thumbor__cmyk.jpg', { format: 'jpeg', width: 100, height: 100, jpeg: { quality: 92, components: 4 } }],
    ['serenity__exif.png', { format: 'png', width: 100, height: 200, orientation: 6, alpha: true, depth: 8 }],
    ['pngsuite__tbbn0g04.png', { format: 'png', width: 32, height: 32, alpha: true, depth: 4, profile: 'other' }],
    [
      'image-png__cicp_pq.png',
      { format: 'png', width: 8, height: 8, profile: 'other', codePoints: { primaries: 9, transfer: 16 } },
    ],
    ['kodim23-190x158.heic', { format: 'heic', width: 190, height: 158, depth: 8, alpha: false, orientation: 1 }],
    ['kodim23-190x158.jxl', { format: 'jxl', width: 190, height: 158, depth: 8, alpha: false, orientation: 1 }],
    ['quarters.jxl', { format: 'jxl', width: 64, height: 64 }],
    ['grey-steps-pq.jxl', { format: 'jxl', width: 272, height: 16, depth: 16 }],
    ['drewnoakes__pal1wb.bmp', { format: 'bmp', width: 127, height: 64, depth: 1, alpha: false }],
    ['rle8.bmp', { format: 'bmp', width: 32, height: 16, depth: 8 }],
    ['pillow__hopper.ico', { format: 'ico', width: 16, height: 16, alpha: true }],
    ['hopper-32x32.psd', { format: 'psd', width: 32, height: 32, depth: 8, alpha: false }],
    ['two-frames.jxl', { format: 'jxl', width: 128, height: 64, frames: 1 }],
    ['image__dispose-previous-blend-source.png', { format: 'png', width: 3, height: 1, frames: 3, loop: 1 }],
    ['codeccorpus__border_touching_layers.gif', { format: 'gif', width: 100, height: 100, frames: 2, loop: 0 }],
    ['libgd__dispose_none.gif', { format: 'gif', width: 8, height: 8, frames: 2, loop: 0 }],
    ['image-gif__anim-gr.gif', { format: 'gif', width: 100, frames: 2, orientation: 1 }],
    ['serenity__Qpalette.webp', { format: 'webp', width: 256, height: 256, frames: 1 }],
    ['serenity__ccitt4.tiff', { format: 'tiff', width: 400, height: 300, depth: 1, orientation: 1 }],
    ['thumbor__Commons-logo-inches.svg', { format: 'svg', width: 960, height: 1248, alpha: true }],
  ])('identifies the file %s', async (name, expected) => {
    const { length } = await readFile(FILES + name)
    expect(await identify(FILES + name)).toMatchObject({ ...expected, bytes: length })
  })

  it('identifies a gzipped SVG', async () => {
    const packed = gzipSync(await readFile(`${FILES}thumbor__Commons-logo-inches.svg`))
    expect(await identifyBytes(packed)).toMatchObject({
      format: 'svg',
      width: 960,
      gzipped: true,
      bytes: packed.length,
    })
  })

  it('a truncated or damaged file gives facts or a failure', async () => {
    const names = await readdir(FILES)
    const files = await Promise.all(names.map((name) => readFile(FILES + name)))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
        async (file, share, changes) => {
          const bytes = Buffer.from(file.subarray(0, Math.round(file.length * share)))
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
          const found = await failureOf(bytes)
          expect(found).not.toBeInstanceOf(Error)
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe('files that are refused', () => {
  const box = (brand: string, ...compatible: readonly string[]): Buffer =>
    Buffer.concat([u32(16 + compatible.length * 4), latin1(`ftyp${brand}\0\0\0\0${compatible.join('')}`)])

  it.each<[string, Buffer, readonly string[]]>([
    ['nothing', Buffer.alloc(0), ['NOT_AN_IMAGE', 'an empty file']],
    ['HTML', latin1('<!doctype html><p>'), ['NOT_AN_IMAGE', 'an HTML page']],
    ['PDF', latin1('%PDF-1.7\n'), ['NOT_AN_IMAGE', 'a PDF document']],
    ['ZIP', latin1('PK\x03\x04\x14\0'), ['NOT_AN_IMAGE', 'a ZIP archive or an office document']],
    ['gzip', gzipSync('hello'), ['NOT_AN_IMAGE', 'a gzip archive']],
    ['half of a gzip stream', gzipSync('<html>').subarray(0, 15), ['NOT_AN_IMAGE', 'a gzip archive']],
    ['a gzip bomb', gzipSync(Buffer.alloc(20_000_000)), ['NOT_AN_IMAGE', 'a gzip archive']],
    ['MP4', box('isom', 'iso2', 'mp41'), ['NOT_AN_IMAGE', 'an MP4 video']],
    ['WebM', latin1('\x1a\x45\xdf\xa3'), ['NOT_AN_IMAGE', 'a video or sound file']],
    ['a HEIC without items', box('heic', 'mif1'), ['SOURCE_DAMAGED']],
    ['a raw file in boxes', box('crx ', 'crx ', 'isom'), ['FORMAT_UNSUPPORTED', 'a camera raw file']],
    ['a BMP of 18 bytes', latin1('BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0'), ['SOURCE_DAMAGED']],
    ['an ICO of 12 bytes', latin1('\0\0\x01\0\x01\0\x10\x10\0\0\x01\0'), ['SOURCE_DAMAGED']],
    ['a PSD of 6 bytes', latin1('8BPS\0\x01'), ['SOURCE_DAMAGED']],
    ['three bytes of JPEG XL', latin1('\xff\x0a\0'), ['SOURCE_DAMAGED']],
    ['a box of JPEG XL alone', latin1('\0\0\0\x0cJXL \r\n\x87\n'), ['SOURCE_DAMAGED']],
    ['JPEG 2000', latin1('\0\0\0\x0cjP  \r\n\x87\n'), ['FORMAT_UNSUPPORTED', 'a JPEG 2000 image']],
    ['a PNG that went through a text transfer', latin1('\x89PNG\n\x1a\n'), ['SOURCE_DAMAGED']],
    ['a PNG signature alone', latin1('\x89PNG\r\n\x1a\n'), ['SOURCE_DAMAGED']],
    ['a WebP without image', latin1('RIFF\0\0\0\0WEBPjunk\0\0\0\0'), ['SOURCE_DAMAGED']],
    ['an AVIF without items', box('avif', 'mif1'), ['SOURCE_DAMAGED']],
    ['a TIFF that points nowhere', latin1('II*\0\xff\xff\xff\xff'), ['SOURCE_DAMAGED']],
    ['a GIF without frames', latin1('GIF89a\x01\0\x01\0\0\0\0;'), ['SOURCE_DAMAGED']],
    ['a JPEG without frame', latin1('\xff\xd8\xff\xd9'), ['SOURCE_DAMAGED']],
    ['two bytes of JPEG', latin1('\xff\xd8'), ['SOURCE_DAMAGED']],
  ])('refuses %s', async (_what, bytes, expected) => {
    expect(await failureOf(bytes)).toEqual(expected)
  })
})

describe('PNG', () => {
  const chunk = (name: string, data: Buffer): Buffer => Buffer.concat([u32(data.length), latin1(name), data, u32(0)])
  const header = (width: number, height: number, depth: number, colour: number): Buffer =>
    chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.of(depth, colour, 0, 0, 0)]))
  const png = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), ...chunks])
  const control = (frames: number, plays: number): Buffer => chunk('acTL', Buffer.concat([u32(frames), u32(plays)]))
  const gamma = (value: number): Buffer => chunk('gAMA', u32(value))

  it.each<[string, Buffer, Partial<SourceFacts>]>([
    ['grey', png(header(2, 3, 16, 0)), { width: 2, height: 3, depth: 16, alpha: false, frames: 1, profile: 'none' }],
    ['with an alpha channel', png(header(1, 1, 8, 6)), { alpha: true }],
    ['with a transparent colour', png(header(1, 1, 8, 3), chunk('tRNS', Buffer.of(0))), { alpha: true }],
    [
      'with transparency too late',
      png(header(1, 1, 8, 3), chunk('IDAT', Buffer.of(0)), chunk('tRNS', Buffer.of(0))),
      { alpha: false },
    ],
    ['header in second place', png(chunk('tEXt', Buffer.of(0)), header(5, 1, 8, 2)), { width: 5 }],
    ['sRGB', png(header(1, 1, 8, 2), chunk('sRGB', Buffer.of(0))), { profile: 'srgb' }],
    ['gamma of sRGB', png(header(1, 1, 8, 2), gamma(45_455)), { profile: 'srgb' }],
    ['linear', png(header(1, 1, 8, 2), gamma(100_000)), { profile: 'other' }],
    ['sRGB outranks gamma', png(header(1, 1, 8, 2), gamma(100_000), chunk('sRGB', Buffer.of(0))), { profile: 'srgb' }],
    [
      'a profile that cannot be unpacked',
      png(header(1, 1, 8, 2), chunk('iCCP', latin1('a\0\0junk'))),
      { profile: 'none' },
    ],
    [
      'more frames announced than there are',
      png(
        header(1, 1, 8, 2),
        control(4_000_000_000, 2),
        chunk('fcTL', Buffer.alloc(26)),
        chunk('fcTL', Buffer.alloc(26)),
      ),
      { frames: 2, loop: 2 },
    ],
    ['frames without announcement', png(header(1, 1, 8, 2), chunk('fcTL', Buffer.alloc(26))), { frames: 1 }],
    ['the largest size', png(header(0x7fffffff, 1, 1, 0)), { width: 0x7fffffff }],
  ])('reads a PNG: %s', async (_what, bytes, expected) => {
    expect(await identifyBytes(bytes)).toMatchObject({ format: 'png', ...expected })
  })

  it.each<[string, Buffer, readonly string[]]>([
    ['no width', png(header(0, 1, 8, 2)), ['SOURCE_DAMAGED']],
    ['no height', png(header(1, 0, 8, 2)), ['SOURCE_DAMAGED']],
    ['a depth that does not exist', png(header(1, 1, 3, 2)), ['SOURCE_DAMAGED']],
    ['a colour type that does not exist', png(header(1, 1, 8, 5)), ['SOURCE_DAMAGED']],
    [
      'the form of Apple',
      png(chunk('CgBI', u32(0)), header(1, 1, 8, 2)),
      ['FORMAT_UNSUPPORTED', 'a PNG in a private form of Apple (CgBI)'],
    ],
  ])('refuses a PNG: %s', async (_what, bytes, expected) => {
    expect(await failureOf(bytes)).toEqual(expected)
  })
})

describe('GIF', () => {
  const screen = (width: number, height: number): Buffer =>
    Buffer.concat([latin1('GIF89a'), le16(width), le16(height), Buffer.of(0, 0, 0)])
  const frame = (left: number, top: number, width: number, height: number): Buffer =>
    Buffer.concat([latin1(','), le16(left), le16(top), le16(width), le16(height), Buffer.of(0, 2, 2, 0x4c, 1, 0)])
  const control = (packed: number): Buffer => Buffer.of(0x21, 0xf9, 4, packed, 0, 0, 0, 0)
  const loop = (name: string, repetitions: number): Buffer =>
    Buffer.concat([Buffer.of(0x21, 0xff, 11), latin1(name), Buffer.of(3, 1), le16(repetitions), Buffer.of(0)])
  const gif = (...blocks: readonly Buffer[]): Buffer => Buffer.concat([...blocks, latin1(';')])
  const two = [frame(0, 0, 4, 3), frame(1, 1, 1, 1)]

  it.each<[string, Buffer, Partial<SourceFacts>]>([
    ['still', gif(screen(4, 3), frame(0, 0, 4, 3)), { width: 4, height: 3, frames: 1, alpha: false }],
    ['plays once without a word', gif(screen(4, 3), ...two), { frames: 2, loop: 1 }],
    ['plays for ever', gif(screen(4, 3), loop('NETSCAPE2.0', 0), ...two), { loop: 0 }],
    ['repeats once: two plays', gif(screen(4, 3), loop('NETSCAPE2.0', 1), ...two), { loop: 2 }],
    ['repeats by the other name', gif(screen(4, 3), loop('ANIMEXTS1.0', 2), ...two), { loop: 3 }],
    ['an application of another name', gif(screen(4, 3), loop('XXXXXXXX1.0', 2), ...two), { loop: 1 }],
    ['transparent colour', gif(screen(4, 3), control(1), frame(0, 0, 4, 3)), { alpha: true }],
    ['restored to background', gif(screen(4, 3), control(8), ...two), { alpha: true }],
    ['screen not covered', gif(screen(4, 3), frame(0, 0, 3, 3)), { alpha: true, width: 4 }],
    ['no screen', gif(screen(0, 0), frame(0, 0, 4, 3)), { width: 4, height: 3 }],
    ['a first frame that sticks out', gif(screen(2, 2), frame(1, 1, 4, 3)), { width: 5, height: 4 }],
    ['a last frame cut off', Buffer.concat([screen(4, 3), ...two]).subarray(0, -1), { frames: 1 }],
    ['an only frame cut off', Buffer.concat([screen(4, 3), frame(0, 0, 4, 3)]).subarray(0, -3), { frames: 1 }],
    ['stray zeros', gif(screen(4, 3), frame(0, 0, 4, 3), Buffer.alloc(9), frame(0, 0, 4, 3)), { frames: 2 }],
    ['20 MB of zeros', gif(screen(4, 3), frame(0, 0, 4, 3), Buffer.alloc(20_000_000)), { frames: 1 }],
    ['a million frames', gif(screen(4, 3), repeated(frame(0, 0, 1, 1), 1_000_000)), { frames: 300_000 }],
  ])('reads a GIF: %s', async (_what, bytes, expected) => {
    expect(await identifyBytes(bytes)).toMatchObject({ format: 'gif', ...expected })
  })
})

describe('TIFF', () => {
  const entry = (tag: number, value: number): Buffer => Buffer.concat([u16(tag), u16(4), u32(1), u32(value)])
  const page = (next: number, ...more: readonly Buffer[]): Buffer =>
    Buffer.concat([u16(2 + more.length), ...more, entry(0x0100, 4), entry(0x0101, 3), u32(next)])
  const start = Buffer.concat([latin1('MM\0*'), u32(8)])

  it.each<[string, Buffer, number]>([
    ['one page', Buffer.concat([start, page(0)]), 1],
    ['two pages', Buffer.concat([start, page(38), page(0)]), 2],
    ['a page and its preview', Buffer.concat([start, page(38), page(0, entry(0x00fe, 1))]), 1],
    ['a circle of two pages', Buffer.concat([start, page(38), page(8)]), 3],
    ['a page that is its own next', Buffer.concat([start, page(8)]), 2],
    ['a second page that is not there', Buffer.concat([start, page(9999)]), 1],
  ])('counts the pages of a TIFF: %s', async (_what, bytes, frames) => {
    expect(await identifyBytes(bytes)).toMatchObject({ format: 'tiff', width: 4, height: 3, frames })
  })

  it('directories that overlap are read up to the size of the file', async () => {
    expect((await identifyBytes(overlappingTiff(1_000))).frames).toBeLessThan(4)
  })
})

describe('JPEG', () => {
  const segment = (marker: number, ...data: readonly Buffer[]): Buffer => {
    const body = Buffer.concat(data)
    return Buffer.concat([Buffer.of(0xff, marker), u16(body.length + 2), body])
  }
  const frame = (marker: number, width: number, height: number, precision = 8): Buffer =>
    segment(marker, Buffer.of(precision), u16(height), u16(width), Buffer.of(1, 1, 0x11, 0))
  const tables = segment(0xdb, Buffer.of(0), Buffer.alloc(64, 1))
  const scan = segment(0xda, Buffer.alloc(6))
  const jpeg = (...segments: readonly Buffer[]): Buffer => Buffer.concat([Buffer.of(0xff, 0xd8), ...segments])
  const exif = (value: number, type = 3): Buffer => {
    const entry = Buffer.concat([u16(0x0112), u16(type), u32(1), type === 3 ? u16(value) : u32(value), u16(0)])
    return segment(0xe1, latin1('Exif\0\0MM\0*'), u32(8), u16(1), entry.subarray(0, 12))
  }

  it.each<[string, Buffer, Partial<SourceFacts>]>([
    ['baseline', jpeg(tables, frame(0xc0, 4, 3), scan), { width: 4, height: 3, jpeg: { quality: 100, components: 1 } }],
    ['progressive', jpeg(tables, frame(0xc2, 4, 3), scan), { width: 4 }],
    ['tables last', jpeg(frame(0xc0, 4, 3), tables, scan), { width: 4 }],
    ['fill and stray bytes', jpeg(tables, latin1('\xff\xff'), frame(0xc0, 4, 3), latin1('junk'), scan), { width: 4 }],
    ['no scan', jpeg(tables, frame(0xc0, 4, 3)), { width: 4 }],
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((value): [string, Buffer, Partial<SourceFacts>] => [
      `orientation ${value}`,
      jpeg(exif(value), tables, frame(0xc0, 4, 3), scan),
      { orientation: value as SourceFacts['orientation'], width: 4, height: 3 },
    ]),
    ['orientation 0', jpeg(exif(0), tables, frame(0xc0, 4, 3), scan), { orientation: 1 }],
    ['orientation 9', jpeg(exif(9), tables, frame(0xc0, 4, 3), scan), { orientation: 1 }],
    ['orientation as a long number', jpeg(exif(6, 4), tables, frame(0xc0, 4, 3), scan), { orientation: 6 }],
    ['orientation as a fraction', jpeg(exif(6, 5), tables, frame(0xc0, 4, 3), scan), { orientation: 1 }],
    [
      'a broken EXIF block',
      jpeg(segment(0xe1, latin1('Exif\0\0MM\0*\xff')), tables, frame(0xc0, 4, 3)),
      { orientation: 1 },
    ],
  ])('reads a JPEG: %s', async (_what, bytes, expected) => {
    expect(await identifyBytes(bytes)).toMatchObject({ format: 'jpeg', frames: 1, alpha: false, ...expected })
  })

  it.each<[string, Buffer, readonly string[]]>([
    ['no width', jpeg(tables, frame(0xc0, 0, 3), scan), ['SOURCE_DAMAGED']],
    ['no height', jpeg(tables, frame(0xc0, 4, 0), scan), ['SOURCE_DAMAGED']],
    ['no tables', jpeg(frame(0xc0, 4, 3), scan), ['SOURCE_DAMAGED']],
    ['the frame after the scan', jpeg(tables, scan, frame(0xc0, 4, 3)), ['SOURCE_DAMAGED']],
    ['lossless', jpeg(tables, frame(0xc3, 4, 3), scan), ['FORMAT_UNSUPPORTED', 'a lossless or hierarchical JPEG']],
    ['12 bits', jpeg(tables, frame(0xc1, 4, 3, 12), scan), ['FORMAT_UNSUPPORTED', 'a JPEG of 12 bits per channel']],
    ['a million segments', jpeg(repeated(segment(0xfe), 1_000_000)), ['SOURCE_DAMAGED']],
    ['a megabyte of stray bytes', jpeg(Buffer.alloc(1_000_000), tables, frame(0xc0, 4, 3)), ['SOURCE_DAMAGED']],
  ])('refuses a JPEG: %s', async (_what, bytes, expected) => {
    expect(await failureOf(bytes)).toEqual(expected)
  })
})
