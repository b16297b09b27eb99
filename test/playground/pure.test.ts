import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Options } from '../../src/options/options.ts'
import { parseOptions } from '../../src/options/parse.ts'
import { printOptions } from '../../src/options/print.ts'
import { OPTIONS_TABLE } from '../../src/options/table.ts'
import { CONTROL_GROUPS } from '../../src/playground/controls.ts'
import { resultName } from '../../src/playground/download.ts'
import * as edits from '../../src/playground/edits.ts'
import { findCrop, type Grey, rangeAround, searchSizes } from '../../src/playground/find-crop.ts'
import { formatBytes, formatChange, formatSeconds } from '../../src/playground/numbers.ts'
import { cropWindow, placeSource } from '../../src/playground/placement.ts'
import { readList } from '../../src/playground/reading.ts'
import { warningTexts } from '../../src/playground/requests.ts'
import { nameInAddress } from '../../src/playground/sources.ts'
import { addUp } from '../../src/playground/strip.ts'
import { makeZip, uniqueNames } from '../../src/playground/zip.ts'
import { fitView, limitView, nextStep, zoomTo } from '../../src/playground/zoom.ts'
import { warningValues } from '../../src/server/headers.ts'

const LIMITS = { maxTimeout: 30 }

const optionsOf = (list: string): Options => {
  const read = parseOptions(list, LIMITS)
  if (read.kind === 'wrong') throw read.failure
  return read.options
}

describe('the switches', () => {
  it('cover every row of the options table once', () => {
    const rows = Object.values(CONTROL_GROUPS).flatMap((group): readonly string[] => group.rows)
    expect(rows.toSorted()).toEqual(OPTIONS_TABLE.map(({ name }) => name).toSorted())
  })

  it.each<[string, string, edits.Edit, string]>([
    ['a crop without a size is a square', 'full', edits.setFocus({ kind: 'auto' }), '800x800,crop=auto'],
    ['a crop keeps the given side', '300', edits.setFocus({ kind: 'centre' }), '300x300,crop'],
    ['a point is rounded to per cents', '300x200', edits.setPoint({ x: 0.33333, y: -1 }), '300x200,crop=0.33x0'],
    ['an edge', '300x200,pad', edits.setEdge('left'), '300x200,crop=left'],
    ['a side that is cleared stays free', '300x200', edits.setSides({ width: 300 }), '300'],
    ['no side at all is no resizing', '300x200', edits.setSides({}), 'full'],
    ['a side beyond the limit is the limit', 'full', edits.setSides({ width: 99_999 }), '10000'],
    ['a density needs a size', 'full', edits.setDensity(2), '800,2x'],
    ['lossless is without resizing', '300x200,crop', edits.setQuality('lossless'), 'full,quality=lossless'],
    ['high', '300', edits.setQuality('high'), '300,quality=high'],
    ['a format', 'full', edits.setFormat('avif'), 'full,format=avif'],
    ['a trim', 'full', edits.setTrim(true), 'full,trim=border'],
    ['a colour', '9x9,pad', edits.setBackground({ r: 255, g: 102, b: 0 }), '9x9,pad,bgcolor=F60'],
    ['a timeout', 'full', edits.setTimeoutSeconds(5), 'full,timeout=5'],
  ])('%s', (_, before, edit, after) => {
    expect(printOptions(edit(optionsOf(before)), LIMITS)).toBe(after)
  })
})

describe('a typed list', () => {
  it('is encoded so that the service reads the same', () => {
    const reading = readList('300x200, pad,bgcolor=#F60', LIMITS)
    expect(reading.sent).toBe('300x200,%20pad,bgcolor=%23F60')
    expect(printOptions(reading.options!, LIMITS)).toBe('300x200,pad,bgcolor=F60')
    expect(reading.warnings).toHaveLength(2)
  })

  it("is refused with the service's text", () => {
    const reading = readList('300x200,corp', LIMITS)
    expect(reading.options).toBeUndefined()
    expect(reading.problem).toBe('"corp" is not an option. Did you mean "crop"?')
  })
})

describe('Warning headers', () => {
  it('are split into their texts when they are joined', () => {
    const texts = ['a "quoted" word, and a comma', String.raw`a back\slash`, 'plain']
    expect(warningTexts(warningValues(texts).join(', '))).toEqual(texts)
    expect(warningTexts(null)).toEqual([])
  })
})

describe('numbers', () => {
  it.each([
    [812, '812 bytes'],
    [1234, '1.23 KB'],
    [23_445, '23.4 KB'],
    [557_596, '558 KB'],
    [999_499, '999 KB'],
    [999_600, '1.00 MB'],
    [12_345_678, '12.3 MB'],
  ])('%i is %s', (bytes, said) => expect(formatBytes(bytes)).toBe(said))

  it.each([
    [100, 13, '−87 %'],
    [1000, 6, '−99.4 %'],
    [100, 100, '±0 %'],
    [100, 103, '+3 %'],
    [1000, 996, '−0.4 %'],
    [0, 5, ''],
  ])('a change from %i to %i is %s', (before, after, said) => expect(formatChange(before, after)).toBe(said))

  it.each([
    [420, '0.42 s'],
    [3400, '3.4 s'],
    [12_300, '12 s'],
  ])('%i ms is %s', (ms, said) => expect(formatSeconds(ms)).toBe(said))
})

describe('the source behind a result', () => {
  const source = { width: 1200, height: 800 }
  it.each<[string, { width: number; height: number }, object]>([
    ['600', { width: 600, height: 400 }, { left: 0, top: 0, width: 600, height: 400 }],
    ['400x400,crop', { width: 400, height: 400 }, { left: -100, top: 0, width: 600, height: 400 }],
    ['400x400,crop=left', { width: 400, height: 400 }, { left: 0, top: 0, width: 600, height: 400 }],
    ['400x400,pad', { width: 400, height: 400 }, { left: 0, top: 66, width: 400, height: 267 }],
  ])('%s', (list, result, placement) => {
    expect(placeSource({ resize: optionsOf(list).resize, source, result })).toEqual(placement)
  })

  it('the source extends further when a border was trimmed', () => {
    const trimmed = { left: 100, top: 0, width: 1000, height: 800 }
    expect(
      placeSource({ resize: optionsOf('full').resize, source, trimmed, result: { width: 1000, height: 800 } }),
    ).toEqual({
      left: -100,
      top: 0,
      width: 1200,
      height: 800,
    })
  })

  it('shows the part that a crop keeps', () => {
    expect(cropWindow(optionsOf('400x400,crop=1x0').resize, source)).toMatchObject({
      left: 400,
      top: 0,
      width: 800,
      height: 800,
    })
    expect(cropWindow(optionsOf('400x400,pad').resize, source)).toBeUndefined()
  })
})

describe('findCrop', () => {
  /** A grey image of non-repeating structure. */
  const grey = (width: number, height: number, at: (x: number, y: number) => number): Grey => ({
    width,
    height,
    data: Float32Array.from({ length: width * height }, (_, i) => at(i % width, Math.floor(i / width))),
  })
  const texture = (x: number, y: number): number => (Math.sin(x * 0.37) + Math.cos(y * 0.21 + x * 0.05)) * 60 + 128

  it.each([0, 17, 40])('finds a crop %i px from the left', (left) => {
    const whole = grey(160, 100, texture)
    const part = grey(120, 100, (x, y) => texture(x + left, y))
    expect(findCrop(whole, part)).toEqual({ x: (left + 60) / 160, y: 0.5 })
  })

  it('the second search stays near the first position and inside the image', () => {
    const { whole, part } = searchSizes({ width: 3000, height: 2000 }, { width: 500, height: 500 }, 1200)
    expect([whole, part]).toEqual([
      { width: 1200, height: 800 },
      { width: 800, height: 800 },
    ])
    expect(rangeAround({ x: 0.35, y: 0.5 }, whole, part, { width: 160, height: 107 })).toEqual({
      left: [5, 35],
      top: [0, 0],
    })
  })
})

describe('zoom', () => {
  const image = { width: 1000, height: 500 }
  const stage = { width: 500, height: 500 }
  it('starts with the whole image, not enlarged', () => {
    expect(fitView(image, stage).scale).toBe(0.5)
    expect(fitView({ width: 10, height: 10 }, stage).scale).toBe(1)
  })
  it('keeps the point under the pointer, and the edges outside of the stage', () => {
    const at = { x: 100, y: 0 }
    const before = { scale: 1, x: 0, y: 0 }
    const after = zoomTo(before, 2, { image, stage, at })
    expect((at.x - after.x) / after.scale).toBe((at.x - before.x) / before.scale)
    expect(limitView({ scale: 1, x: 9999, y: 9999 }, image, stage)).toEqual({ scale: 1, x: 250, y: 0 })
  })
  it('has steps up to 400 %', () => {
    expect([
      nextStep(0.46, true),
      nextStep(0.46, false),
      nextStep(3, true),
      nextStep(4, true),
      nextStep(0.1, false),
    ]).toEqual([0.5, 0.25, 4, 4, 0.1])
    expect(zoomTo({ scale: 4, x: 0, y: 0 }, 64, { image, stage }).scale).toBe(4)
  })
})

describe('downloads', () => {
  it.each([
    ['photo.png', 'image/jpeg', 'photo.jpg'],
    ['a.b.tiff', 'image/avif', 'a.b.avif'],
    ['no extension', 'image/webp', 'no extension.webp'],
    ['x.png', 'application/x-unknown', 'x.png'],
  ])('%s as %s is %s', (name, type, saved) => expect(resultName(name, type)).toBe(saved))

  it.each([
    ['https://e.com/a/b%20c.png?d', 'b c.png'],
    ['https://e.com/', 'e.com'],
    ['https://e.com/..%2F..%5c%2fetc%2fa.png', '..-..--etc-a.png'],
    ['https://e.com/a%1b%5b201~%0a.png', 'a-[201~-.png'],
    ['https://e.com/x/100%.png', '100%.png'],
    ['no/address', 'address'],
  ])('%s has the name %s', (url, name) => expect(nameInAddress(url)).toBe(name))

  it('with equal names get unique ones', () => {
    expect(uniqueNames(['a.jpg', 'a.jpg', 'b', 'b', 'a.jpg'])).toEqual(['a.jpg', 'a-2.jpg', 'b', 'b-2', 'a-3.jpg'])
  })

  it('saves several downloads as an archive that Python reads', async () => {
    const bytes = new TextEncoder().encode('some bytes')
    const zip = await makeZip([
      { name: 'ünï.txt', bytes },
      { name: 'b.txt', bytes: new Uint8Array(0) },
    ]).arrayBuffer()
    const directory = mkdtempSync(join(tmpdir(), 'whittle-zip-'))
    try {
      writeFileSync(join(directory, 'a.zip'), Buffer.from(zip))
      const told = execFileSync('python3', [
        '-c',
        'import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); print(json.dumps([z.testzip(),[[n,z.read(n).decode()] for n in z.namelist()]]))',
        join(directory, 'a.zip'),
      ])
      expect(JSON.parse(told.toString())).toEqual([
        null,
        [
          ['ünï.txt', 'some bytes'],
          ['b.txt', ''],
        ],
      ])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('totals', () => {
  it('counts only images with a result', () => {
    const item = { id: 1, name: 'a', origin: { url: 'http://e.com/a' }, bytes: 100 }
    const done = { kind: 'done', bytes: 20 } as never
    expect(
      addUp([
        [item, done],
        [item, undefined],
        [item, { kind: 'refused', status: 415, text: '' }],
      ]),
    ).toEqual({
      done: 1,
      before: 100,
      after: 20,
    })
  })
})
