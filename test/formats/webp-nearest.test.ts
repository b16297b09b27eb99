import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readRiffChunks } from '../../src/containers/riff.ts'
import type { Raster } from '../../src/core/image.ts'
import type { Candidate, Examine } from '../../src/formats/format.ts'
import { webp } from '../../src/formats/webp.ts'
import { openSsimulacra2 } from '../../src/metric/ssimulacra2/ssimulacra2.ts'
import { toPixels } from '../../src/raster/raw.ts'
import { run } from '../engine/run.ts'
import { PHOTO } from '../engine/samples.ts'
import { mediumRequest } from './request.ts'

/** No lossy file keeps the promise; those of higher quality come nearer. */
const missedByAll: Examine = () => {
  const margins = { ssimulacra: -1 }
  return { score: 69, effective: 69, keeps: false, broken: ['ssimulacra'], margins, figures: { ssimulacra: 69 } }
}

const searched = async (pixels: Raster, best = Number.POSITIVE_INFINITY): Promise<readonly Candidate[]> => {
  using prepared = (await openSsimulacra2()).prepare(pixels)
  const request = mediumRequest({
    pixels,
    prepared,
    remaining: () => 60_000,
    bytesToBeat: () => best,
    outOfTime: () => undefined,
  })
  const candidates: Candidate[] = []
  for await (const candidate of webp.search({ ...request, examine: missedByAll, ssimulacra2: () => 69 }))
    if (candidate.kind === 'candidate') candidates.push(candidate)
  return candidates
}

const losslessOf = (candidates: readonly Candidate[]) => candidates.filter(({ lossless }) => lossless)
const smallestLossy = (candidates: readonly Candidate[]): number =>
  Math.min(...candidates.filter(({ lossless }) => !lossless).map(({ bytes }) => bytes.length))

/** Shapes of one colour each, which libwebp stores without loss in few bytes. */
const drawing = (): Raster => {
  const data = new Uint8Array(192 * 192 * 3)
  for (let i = 0; i < data.length; i += 3) {
    const [x, y] = [(i / 3) % 192, Math.floor(i / 576)]
    data.set(
      (x - 96) ** 2 + (y - 96) ** 2 < 60 ** 2 ? [200, 30, 30] : (x >> 4) % 2 ? [255, 255, 255] : [20, 60, 120],
      i,
    )
  }
  return { width: 192, height: 192, channels: 3, data }
}

describe('a WebP that cannot keep the promise', () => {
  it('stays lossy where a lossless file takes more than 1.25 of its bytes', async () => {
    const candidates = await searched(await toPixels(await sharp(PHOTO).png().toBuffer()))
    expect(candidates.length).toBeGreaterThan(0)
    expect(losslessOf(candidates)).toEqual([])
  })

  it('is lossless where that takes at most 1.25 of the bytes of the nearest lossy file', async () => {
    const candidates = await searched(drawing())
    const [exact] = losslessOf(candidates)
    expect(exact!.bytes.length).toBeLessThan(1.25 * smallestLossy(candidates))
  })
})

/** Gradients that wrap: more than 256 colours, and hardly a pixel that equals its neighbour. */
const gradient = (): Promise<Uint8Array> => {
  const data = Uint8Array.from({ length: 256 * 256 * 3 }, (_, i) => {
    const [x, y] = [Math.floor(i / 3) & 255, Math.floor(i / 768)]
    return [x * 4, y * 4, (x + y) * 3][i % 3]!
  })
  return sharp(data, { raw: { width: 256, height: 256, channels: 3 } })
    .png()
    .toBuffer()
}

it('a WebP of a gradient, which has as many colours as a photograph, is stored without loss', async () => {
  const { result, bytes } = await run(await gradient(), { options: 'full,format=webp' })
  expect([result.score, result.format]).toEqual([100, 'webp'])
  expect(bytes.length).toBeLessThan(300)
})

it.each([
  ['across and down', 300, () => 128],
  ['with a third slope', 400, (x: number, y: number) => ((x + y) * 255) / 700],
] as const)('a WebP of a gradient %s takes no more bytes at a lower preset', async (_, width, blue) => {
  const data = Uint8Array.from({ length: width * 300 * 3 }, (_, i) => {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)]
    return [(x * 255) / width, (y * 255) / 300, blue(x, y)][i % 3]!
  })
  const source = await toPng({ data, width, height: 300, channels: 3 })
  const sizes: number[] = []
  for (const quality of ['low', 'medium', 'high'])
    sizes.push((await run(source, { options: `full,format=webp,quality=${quality}` })).bytes.length)
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
})

const toPng = ({ data, width, height, channels }: Raster): Promise<Uint8Array> =>
  sharp(data, { raw: { width, height, channels } }).png().toBuffer()

it('a WebP of an icon is stored with every way of libwebp', async () => {
  const icon = await sharp(await toPng(drawing()))
    .resize(24, 24, { kernel: 'nearest' })
    .png()
    .toBuffer()
  const usual = await sharp(icon).webp({ lossless: true, effort: 4 }).toBuffer()
  const { bytes } = await run(icon, { options: 'full,format=webp,quality=lossless' })
  expect(bytes.length).toBeLessThan(usual.length)
})

it('a WebP of a drawing stores the pixels of our palette without loss, in fewer bytes than our PNG', async () => {
  const source = await readFile(new URL('../../bench/public/image-png__Transparency.png', import.meta.url))
  const [asWebp, asPng] = [
    await run(source, { options: 'full,format=webp' }),
    await run(source, { options: 'full,format=png' }),
  ]
  expect(asWebp.result.meetsTarget).toBe(true)
  expect([...readRiffChunks(asWebp.bytes)].map(({ type }) => type)).toContain('VP8L')
  expect(asWebp.bytes.length).toBeLessThanOrEqual(asPng.bytes.length)
})

it.each([
  '60',
  '120x50,crop',
])('a WebP thumbnail (%s) keeps the promise of high where no lossy file does', async (size) => {
  const source = await readFile(new URL('../fixtures/jpeg/kodim23-190x158.png', import.meta.url))
  const { result } = await run(source, { options: `${size},quality=high,format=webp` })
  expect(result.meetsTarget).toBe(true)
})
