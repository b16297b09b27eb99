import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decode } from '../../src/raster/decode.ts'
import { identify } from '../../src/source/identify.ts'
import { type Case, FIXTURES, start } from './start.ts'

/** A logo in the red of P3 on the red of sRGB. It is invisible in sRGB. */
const SOURCE = await readFile(join(FIXTURES, 'colour/wide-gamut-tests__P3-sRGB-red.jpg'))
const LIMITS = { maxPixels: 1e8 }

let service: Case
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-'))
  service = await start()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const make = async (options: string, body: Buffer = SOURCE) => {
  const headers = { 'content-type': 'image/jpeg' }
  // Busy machines take their time.
  const answer = await service.post(`anna/${options},timeout=30`, { headers, body: new Uint8Array(body) })
  expect(answer.status).toBe(200)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const path = join(directory, 'result')
  await writeFile(path, bytes)
  const facts = await identify(path)
  const { pixels } = await decode({ path, facts, limits: LIMITS, gamut: 'p3' })
  return { bytes, facts, pixels, warning: answer.headers.get('warning') }
}

/** Whether the two reds differ: in codes of P3 they are 255,0,0 and 234,51,34. */
const showsLogo = ({ data, channels }: Awaited<ReturnType<typeof make>>['pixels']): boolean => {
  let [logo, ground] = [0, 0]
  for (let at = 0; at < data.length; at += channels) {
    if (data[at]! > 215 && data[at + 1]! < 25) logo++
    if (data[at]! > 215 && data[at + 1]! > 40 && data[at + 1]! < 70) ground++
  }
  return logo > data.length / channels / 50 && ground > data.length / channels / 50
}

describe('gamut=p3 (§2)', () => {
  it.each([
    'full,quality=low',
    'full,format=png',
    '200,format=jpeg',
    '200x100,crop,format=png',
    '200,format=webp',
    '200,format=avif',
  ])('keeps the colours of %s, without a Warning', async (options) => {
    const { facts, pixels, warning } = await make(`${options},gamut=p3`)
    expect([facts.profile, warning]).toEqual(['other', null])
    expect(showsLogo(pixels)).toBe(true)
  })

  it.each(['200,format=webp', '200'])('%s is sRGB without gamut=p3', async (options) => {
    const { facts, pixels } = await make(options)
    expect([facts.profile, showsLogo(pixels)]).toEqual(['none', false])
  })

  it('gamut=p3 does not change an sRGB image', async () => {
    const plain = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#f80' } })
      .jpeg()
      .toBuffer()
    const [wide, usual] = [await make('20,gamut=p3', plain), await make('20', plain)]
    expect(wide.bytes.equals(usual.bytes)).toBe(true)
    expect(wide.warning).toBeNull()
  })

  it('a format without P3 gets a Warning', async () => {
    const { facts, warning } = await make('100,format=gif,gamut=p3')
    expect([facts.profile, warning]).toEqual(['none', expect.stringContaining('gamut=p3 is not possible in gif')])
  })

  it('pads with the requested colour', async () => {
    const { pixels } = await make('60x20,pad,bgcolor=00F,format=png,gamut=p3')
    // Blue of sRGB in codes of P3, within a palette's tolerance.
    expect(Math.max(...[0, 0, 245].map((level, i) => Math.abs(level - pixels.data[i]!)))).toBeLessThan(12)
  })
})
