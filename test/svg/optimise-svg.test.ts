import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { deadlineIn } from '../../src/core/deadline.ts'
import type { SourceFacts } from '../../src/core/image.ts'
import { drawSvg } from '../../src/svg/draw.ts'
import { findDangers } from '../../src/svg/find-dangers.ts'
import { holdsFont, writeFontConfiguration } from '../../src/svg/fonts.ts'
import { SVG_LIMITS } from '../../src/svg/limits.ts'
import { openSvg, optimiseSvg } from '../../src/svg/optimise-svg.ts'
import { sanitiseSvg } from '../../src/svg/sanitise.ts'
import { scratchDirectory } from '../scratch.ts'

const fixture = (name: string): string => join(import.meta.dirname, '../fixtures/svg', name)
const facts = (width: number, height: number): SourceFacts => ({
  format: 'svg',
  width,
  height,
  frames: 1,
  alpha: true,
  orientation: 1,
  profile: 'none',
  bytes: 0,
})
const written = async (name: string, bytes: Uint8Array | string): Promise<string> => {
  const path = join(await scratchDirectory('svg'), name)
  await writeFile(path, bytes)
  return path
}

describe('optimising an SVG', () => {
  it.each([
    ['imgproxy__test1.svg', 200, 100],
    ['resvg__elements-via-ENTITY-reference-1.svg', 200, 200],
    ['resvg__not-UTF-8-encoding.svg', 200, 200],
    ['resvg__no-size.svg', 199, 199],
    ['sharp__check.svg', 100, 100],
    ['thumbor__Commons-logo.svg', 1024, 1376],
  ])('makes %s smaller, clean, and alike when drawn', async (name, width, height) => {
    const path = fixture(name)
    const made = await optimiseSvg({ path, facts: facts(width, height), deadline: deadlineIn(20_000) })
    expect(findDangers(made.markup)).toEqual([])
    // One file has a form, which no drawing shows, so scores would be meaningless.
    if (name === 'imgproxy__test1.svg') expect(made.score).toBeUndefined()
    else expect(made.score).toBeGreaterThanOrEqual(95)
    const { width: drawn } = await sharp(Buffer.from(made.markup)).metadata()
    expect(drawn).toBeGreaterThan(0)
  })

  const ROOT = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
  const LATE = `<?xml version="1.0"${' '.repeat(200)}encoding="ISO-2022-JP"?>`
  it.each([
    // In ISO-2022-JP the text between the escapes is one kanji per pair, so the comment ends elsewhere.
    ['an encoding that only browsers see', `${LATE}${ROOT}<title>\x1b$B</title><path d="M0 0"/></svg>`],
    ['a comment that HTML ends early', `${ROOT}<!--><img src=x onerror=alert(1)>--><path d="M0 0"/></svg>`],
    ['a document type', `<!DOCTYPE svg [<!ENTITY a "b">]>${ROOT}<path d="M0 0"/></svg>`],
    ['a processing instruction', `<?xml-stylesheet href="x"?>${ROOT}<?a ?><path d="M0 0"/></svg>`],
    ['a section of text', `${ROOT}<title><![CDATA[<img src=x onerror=alert(1)>]]></title></svg>`],
  ])('%s never comes out, however small the source is', async (_name, source) => {
    const path = await written('late.svg', source)
    const markups: string[] = []
    const made = await optimiseSvg({
      path,
      facts: { ...facts(9, 9), bytes: source.length },
      deadline: deadlineIn(20_000),
      offer: ({ markup }) => markups.push(markup),
    })
    for (const markup of [...markups, made.markup]) {
      expect(markup).toMatch(/^<svg xmlns="/)
      expect(markup).not.toMatch(/<[!?]|<img|\x1b/)
    }
  })

  it('warns when the printed markup is longer than the source', async () => {
    const source = `<!DOCTYPE svg [<!ENTITY t "${'a b '.repeat(50)}">]>${ROOT}${'<text>&t;</text>'.repeat(20)}</svg>`
    const request = { facts: { ...facts(9, 9), bytes: source.length }, deadline: deadlineIn(20_000) }
    const made = await optimiseSvg({ ...request, path: await written('grows.svg', source) })
    expect(made.warnings).toEqual([
      expect.stringMatching(`The SVG grew from ${source.length} to ${made.markup.length}`),
    ])
  })

  it('quotes a value with the fewest bytes', () => {
    const { markup } = sanitiseSvg(
      `${ROOT}<text font-family='"A"'/><text font-family="'A'"/><text id="&#34;'&lt;&amp;"/></svg>`,
    )
    expect(markup).toContain(`<text font-family='"A"'/><text font-family="'A'"/><text id="&quot;'&lt;&amp;"/>`)
  })

  it('offers the sanitised document before optimising', async () => {
    const offers: string[] = []
    await optimiseSvg({
      path: fixture('imgproxy__test1.svg'),
      facts: facts(200, 100),
      deadline: deadlineIn(20_000),
      offer: ({ markup }) => offers.push(markup),
    })
    expect(offers).toHaveLength(1)
    expect(findDangers(offers[0]!)).toEqual([])
  })

  it.each([
    ['SVGZ', (text: string) => gzipSync(text)],
    ['UTF-16 with a mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without one', (text: string) => Buffer.from(text, 'utf16le')],
    ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    [
      'windows-1251',
      (text: string) =>
        Buffer.from(`<?xml version="1.0" encoding="windows-1251"?>${text.replace('Ж', '\u00c6')}`, 'latin1'),
    ],
  ])('reads %s', async (_, encode) => {
    const path = await written('x.svg', encode('<svg xmlns="http://www.w3.org/2000/svg"><text>Ж</text></svg>'))
    expect((await openSvg(path)).markup).toContain('<text>Ж</text>')
  })

  it('refuses an SVGZ that unpacks beyond the limit', async () => {
    const path = await written('bomb.svgz', gzipSync(Buffer.alloc(SVG_LIMITS.bytes + 1, 0x20)))
    await expect(openSvg(path)).rejects.toMatchObject({ code: 'SOURCE_TOO_HEAVY' })
  })

  it('returns a clean source unchanged when nothing is gained', async () => {
    const markup = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>'
    const path = await written('tight.svg', markup)
    const made = await optimiseSvg({ path, facts: facts(9, 9), deadline: deadlineIn(9000) })
    expect(made.markup.length).toBeLessThanOrEqual(markup.length)
  })

  it('keeps symbols that only other documents use', async () => {
    const path = await written(
      'sheet.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><symbol id="long-name"><rect width="1.00000" height="1"/></symbol></svg>',
    )
    expect((await optimiseSvg({ path, facts: facts(9, 9), deadline: deadlineIn(9000) })).markup).toContain(
      'id="long-name"',
    )
  })
})

describe('drawing an SVG', () => {
  const halves = sanitiseSvg(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="5" height="10" fill="red"/></svg>',
  ).root

  it('scales vectors, not pixels: an edge stays sharp at any size', async () => {
    const { data, width } = await drawSvg({
      root: halves,
      size: { width: 10, height: 10 },
      output: { width: 1000, height: 1000 },
    })
    const row = data.subarray(0, width * 4)
    expect([row[499 * 4], row[499 * 4 + 3]]).toEqual([255, 255])
    expect(row[500 * 4 + 3]).toBe(0)
  })

  it('draws exactly the requested size to its edges', async () => {
    const { root } = sanitiseSvg(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 33"><rect width="100" height="33"/></svg>',
    )
    const { data, width, height } = await drawSvg({
      root,
      size: { width: 100, height: 33 },
      output: { width: 250, height: 83 },
    })
    expect([width, height]).toEqual([250, 83])
    expect(data[3]).toBe(255)
    expect(data.at(-1)).toBe(255)
  })

  it('draws a region only', async () => {
    const right = { left: 5, top: 0, width: 5, height: 10 }
    const { data } = await drawSvg({
      root: halves,
      size: { width: 10, height: 10 },
      region: right,
      output: { width: 50, height: 100 },
    })
    expect(data.every((sample) => sample === 0)).toBe(true)
  })

  it('loads nothing from outside the document', async () => {
    const secret = await written(
      'secret.png',
      await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    )
    const { root } = sanitiseSvg(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><image width="4" height="4" href="file://${secret}"/></svg>`,
    )
    const { data } = await drawSvg({ root, size: { width: 4, height: 4 }, output: { width: 4, height: 4 } })
    expect(data.every((sample) => sample === 0)).toBe(true)
  })
})

describe('fonts', () => {
  it('bundled fonts are used when the machine has none', async () => {
    expect(await holdsFont(await scratchDirectory('bare'))).toBe(false)
    const configuration = await writeFontConfiguration()
    // fontconfig is initialised once per process, so a new one is needed.
    const script = `import sharp from 'sharp'; const { data } = await sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text y="15" font-family="sans-serif">Wq</text></svg>')).raw().toBuffer({ resolveWithObject: true }); console.log(data.filter((sample) => sample > 0).length)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { FONTCONFIG_FILE: configuration },
    })
    expect(Number(stdout)).toBeGreaterThan(50)
  })
})

describe('a drawing that would take too much memory', () => {
  const large = { width: 10_000, height: 10_000 }
  const draw = (inner: string) =>
    drawSvg({
      root: sanitiseSvg(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`).root,
      size: large,
      output: large,
    })
  const results = Array.from({ length: 30 }, (_, i) => `<feOffset result="r${i}"/>`).join('')

  it.each([
    ['for its effects', `<filter id="f">${results}</filter><rect width="9" height="9" filter="url(#f)"/>`, 'effects'],
    ['for groups within one another', `${'<g opacity=".5">'.repeat(9)}<rect/>${'</g>'.repeat(9)}`, 'effects'],
  ])('a drawing is refused %s', async (_, inner, why) => {
    await expect(draw(inner)).rejects.toMatchObject({ code: 'SVG_TOO_COMPLEX', args: [expect.stringContaining(why)] })
  })

  it('a drawing is refused for its embedded images, by their headers', async () => {
    const png = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    png.writeUInt32BE(30_000, 16)
    png.writeUInt32BE(30_000, 20)
    // Its checksum is now wrong, which header readers ignore.
    const image = `<image width="9" height="9" href="data:image/png;base64,${png.toString('base64')}"/>`
    await expect(draw(image)).rejects.toMatchObject({
      code: 'SVG_TOO_COMPLEX',
      args: [expect.stringContaining('images')],
    })
  })
})
