import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JPEG_MARKER, writeJpegSegment } from '../../src/containers/jpeg.ts'
import { type Case, FIXTURES, start } from './start.ts'

/** Runs ExifTool, which writes the sources and reads the results, independently of our own code. */
const exiftool = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)('exiftool', [...args], { maxBuffer: 1e7 })).stdout

type Tags = Readonly<Record<string, string | number | readonly string[]>>

const tagsOf = async (path: string): Promise<Tags> => {
  const groups = ['EXIF', 'IPTC', 'XMP', 'GPS', 'ExifTool'].flatMap((group) => [`-${group}:all`])
  const [tags] = JSON.parse(await exiftool('-json', '-G1', '-validate', '-warning', ...groups, path)) as [Tags]
  return tags
}

const RIGHTS = {
  'IFD0:Artist': 'Anna Müller',
  'IFD0:Copyright': '© 2026 Anna Müller',
  'IPTC:By-line': 'Anna Müller',
  'IPTC:Credit': 'Agency & Co',
  'IPTC:CopyrightNotice': '(c) Anna Müller',
  'XMP-dc:Creator': 'Anna Müller',
  'XMP-dc:Rights': 'All rights <reserved> "here"',
  'XMP-photoshop:Credit': 'Agency & Co',
  'XMP-xmpRights:WebStatement': 'https://example.com/licence?a=1&b=2',
  'XMP-xmpRights:UsageTerms': 'Ask first',
  'XMP-plus:LicensorURL': 'https://example.com/buy',
} as const

const PRIVATE = {
  'IFD0:Model': 'Secret camera',
  'GPS:GPSLatitude': '52.5',
  'GPS:GPSLatitudeRef': 'N',
  'IPTC:City': 'Berlin',
  'XMP-photoshop:City': 'Berlin',
} as const

let service: Case
let directory: string
let source: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-'))
  service = await start()
  source = await written('source.jpg', join(FIXTURES, 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg'))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const written = async (name: string, from: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  const path = join(directory, name)
  await copyFile(from, path)
  const tags = Object.entries({ ...RIGHTS, ...PRIVATE, ...more }).map(([tag, value]) => `-${tag}=${value}`)
  await exiftool('-q', '-overwrite_original', '-m', '-codedcharacterset=utf8', ...tags, path)
  return path
}

const optimise = async (options: string, path = source) => {
  const body = new Uint8Array(await readFile(path))
  const answer = await service.post(`anna/${options}`, { headers: { 'content-type': 'image/jpeg' }, body })
  expect(answer.status).toBe(200)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const result = join(directory, `result-${options.replaceAll(/\W/g, '-')}`)
  await writeFile(result, bytes)
  return { bytes, result, tags: await tagsOf(result), warning: answer.headers.get('warning') }
}

const holding = (tags: Tags, names: readonly string[]): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([name]) => names.includes(name)))

const IN_XMP = Object.fromEntries(Object.entries(RIGHTS).filter(([name]) => name.startsWith('XMP')))
const IN_EXIF = { 'IFD0:Artist': RIGHTS['IFD0:Artist'], 'IFD0:Copyright': RIGHTS['IFD0:Copyright'] }

describe('meta=copyright (§3.6)', () => {
  it('keeps Exif, IPTC and XMP rights in a JPEG, and no private data', async () => {
    const { tags, warning, bytes } = await optimise('300,meta=copyright')
    expect(holding(tags, Object.keys(RIGHTS))).toEqual(RIGHTS)
    expect(holding(tags, Object.keys(PRIVATE))).toEqual({})
    // ExifTool does not know the mark of a result.
    expect([tags['ExifTool:Warning'], warning]).toEqual(['[minor] Unknown APP10 segment', null])
    expect(bytes.length - (await optimise('300')).bytes.length).toBeLessThan(1700)
  })

  it.each(['png', 'webp', 'avif'])('keeps Exif and XMP rights in %s', async (format) => {
    const { tags, result, warning } = await optimise(`120,format=${format},meta=copyright`)
    expect(holding(tags, Object.keys(RIGHTS))).toEqual({ ...IN_XMP, ...IN_EXIF })
    expect([tags['ExifTool:Warning'], warning]).toEqual([undefined, null])
    expect((await sharp(result).stats()).isOpaque).toBe(true)
  })

  it('keeps XMP rights in a GIF', async () => {
    const { tags, result } = await optimise('60,format=gif,meta=copyright')
    expect(holding(tags, Object.keys(RIGHTS))).toEqual(IN_XMP)
    expect((await sharp(result).metadata()).width).toBe(60)
  })

  it('keeps rights in an AVIF with transparency', async () => {
    const path = join(directory, 'clear.png')
    await sharp(source).resize(80).ensureAlpha(0.5).keepMetadata().png().toFile(path)
    const { tags, result } = await optimise('full,format=avif,meta=copyright', path)
    expect(holding(tags, Object.keys(IN_EXIF))).toEqual(IN_EXIF)
    expect(await sharp(result).metadata()).toMatchObject({ hasAlpha: true, width: 80 })
  })

  it('keeps the orientation of coefficients that were returned without loss', async () => {
    const turned = await written('turned.jpg', source, { 'IFD0:Orientation#': '6' })
    const { tags } = await optimise('full,quality=lossless,meta=copyright', turned)
    expect(tags).toMatchObject({ ...IN_EXIF, 'IFD0:Orientation': 'Rotate 90 CW' })
    expect(holding(tags, Object.keys(PRIVATE))).toEqual({})
  })

  it('moves IPTC rights into XMP when the format has no IPTC', async () => {
    const path = await written('iptc.jpg', source, { 'XMP:all': '', 'EXIF:all': '' })
    const { tags } = await optimise('120,format=webp,meta=copyright', path)
    expect(tags).toMatchObject({
      'XMP-dc:Creator': RIGHTS['IPTC:By-line'],
      'XMP-dc:Rights': RIGHTS['IPTC:CopyrightNotice'],
      'XMP-photoshop:Credit': RIGHTS['IPTC:Credit'],
    })
  })

  it('leaves out rights longer than the limit, with a Warning', async () => {
    const path = await written('long.jpg', source, { 'XMP-xmpRights:UsageTerms': 'x'.repeat(1001) })
    const { tags, warning } = await optimise('200,meta=copyright', path)
    expect(tags['XMP-xmpRights:UsageTerms']).toBeUndefined()
    expect(warning).toContain('left out what is too long: usageTerms')
  })

  it('drops all metadata by default', async () => {
    const { tags } = await optimise('200')
    expect(holding(tags, [...Object.keys(RIGHTS), ...Object.keys(PRIVATE)])).toEqual({})
  })

  it.each(['jpeg', 'avif'])('keeps the pixels of its own %s result in a second round', async (format) => {
    const first = await optimise(`200,format=${format},meta=copyright`)
    const second = await optimise(`full,format=${format},meta=copyright`, first.result)
    expect(second.bytes.length).toBeLessThanOrEqual(first.bytes.length)
    const pixels = async (path: string) => sharp(path).raw().toBuffer()
    expect((await pixels(second.result)).equals(await pixels(first.result))).toBe(true)
  })

  it('warns that content credentials are dropped', async () => {
    const jpeg = await readFile(source)
    const manifest = writeJpegSegment(
      JPEG_MARKER.APP11,
      Buffer.from('JP\0\x01\0\0\0\x01\0\0\0\x20jumb....jumdc2pa', 'latin1'),
    )
    const path = join(directory, 'signed.jpg')
    await writeFile(path, Buffer.concat([jpeg.subarray(0, 2), manifest, jpeg.subarray(2)]))
    expect((await optimise('200', path)).warning).toContain('content credentials (C2PA)')
    expect((await optimise('200')).warning).toBeNull()
  })
})
