import sharp from 'sharp'
import { expect, it } from 'vitest'
import { readRiffChunks } from '../../src/containers/riff.ts'
import { IDENTICAL } from '../../src/formats/format.ts'
import { webpEncoderFor } from '../../src/formats/webp.ts'
import { openMetrics } from '../../src/metric/metrics.ts'
import type { BoundName } from '../../src/plan/promise.ts'
import { boundsFor } from '../../src/plan/targets.ts'
import { toPixels } from '../../src/raster/raw.ts'
import type { Margins } from '../../src/search/margins.ts'
import { run } from '../engine/run.ts'
import { cutOut } from './cut-out.ts'
import { scriptedRequest } from './request.ts'

const bytesOfAlpha = (webp: Uint8Array): number =>
  [...readRiffChunks(webp)].find(({ type }) => type === 'ALPH')!.whole.length

it("a WebP's soft transparency is stored in at most the bytes that libwebp needs at its slowest", async () => {
  const source = await cutOut()
  const { bytes, result } = await run(source, { options: 'full,format=webp' })
  const slowest = await sharp(source).webp({ effort: 6, quality: 70 }).toBuffer()
  const hastier = await sharp(source).webp({ effort: 5, quality: 70 }).toBuffer()
  expect(bytesOfAlpha(slowest)).toBeLessThan(bytesOfAlpha(hastier))
  expect(bytesOfAlpha(bytes)).toBeLessThanOrEqual(bytesOfAlpha(slowest))
  using reference = (await openMetrics()).prepare(await toPixels(source))
  const { butteraugli3 } = reference.measure(await toPixels(bytes))
  expect(butteraugli3).toBeLessThan(boundsFor('medium', 1).butteraugli3)
  expect(result.butteraugli).toBeCloseTo(butteraugli3, 6)
})

it('a WebP keeps only the levels of a busy transparency that show, within the bounds of its preset', async () => {
  const photograph = await sharp(await cutOut())
    .removeAlpha()
    .png()
    .toBuffer()
  const { data, info } = await sharp(photograph)
    .extractChannel('green')
    .linear(0.5, 127)
    .raw()
    .toBuffer({ resolveWithObject: true })
  const source = await sharp(photograph).joinChannel(data, { raw: info }).png().toBuffer()
  const { bytes, result } = await run(source, { options: 'full,format=webp' })
  const slowest = await sharp(source).webp({ effort: 6, quality: 70 }).toBuffer()
  expect(bytesOfAlpha(bytes)).toBeLessThan(0.8 * bytesOfAlpha(slowest))
  expect(result.warnings).toEqual([])
  expect(result.butteraugli).toBeLessThan(boundsFor('medium', 1).butteraugli3)
})

it("a WebP has libwebp's sharp chroma where colours break their bound long before the score, unless it is grey", async () => {
  const pixels = { data: new Uint8Array(64 * 64 * 3), width: 64, height: 64, channels: 3 } as const
  const features = { opaque: true, grey: false, colours: 257, flatness: 0, planes: 0 }
  const isSharpAfter = async (grey: boolean, margins: Margins<BoundName>): Promise<boolean> => {
    const request = scriptedRequest({ pixels, features: { ...features, grey }, examine: () => IDENTICAL })
    const { full, expected } = await webpEncoderFor(request)
    const [usual, next] = [full(71, []), full(71, [margins])]
    const kept = expected({ setting: 80, effort: usual, margins }, next)
    expect(kept.ssimulacra).toBe(margins.ssimulacra)
    expect(kept.butteraugli3).toBe(usual === next ? margins.butteraugli3 : undefined)
    return usual !== next
  }
  expect(await isSharpAfter(false, { ssimulacra: 1.5, butteraugli3: -1 })).toBe(true)
  expect(await isSharpAfter(false, { ssimulacra: 2.5, tileColour: -1 })).toBe(true)
  expect(await isSharpAfter(false, { ssimulacra: 1.5, butteraugli3: -0.3 })).toBe(false)
  expect(await isSharpAfter(false, { ssimulacra: -0.1, butteraugli3: -4 })).toBe(false)
  expect(await isSharpAfter(true, { ssimulacra: 1.5, butteraugli3: -1 })).toBe(false)
})

it('a WebP of a drawing has a loop filter that smooths stairs of 4 px in a gradient', async () => {
  const [width, height] = [160, 128]
  const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => 40 + 1.1 * Math.floor(i / 3 / width))
  const pixels = { data, width, height, channels: 3 } as const
  const drawing = { opaque: true, grey: false, colours: 257, flatness: 0.5, planes: 0.5 }
  const fileOf = async (flatness: number): Promise<Uint8Array> => {
    const request = scriptedRequest({ pixels, features: { ...drawing, flatness }, examine: () => IDENTICAL })
    const { full } = await webpEncoderFor(request)
    return full(70, []).encode(pixels, 60)
  }
  const [drawn, photographed] = [await fileOf(0.5), await fileOf(0.1)]
  expect(drawn.length).toBe(photographed.length)
  const roughness = async (file: Uint8Array): Promise<number> => {
    const shown = await toPixels(file)
    const at = (row: number): number => shown.data[row * width * 3]!
    return Array.from({ length: height - 2 }, (_, row) => (at(row) + at(row + 2) - 2 * at(row + 1)) ** 2).reduce(
      (sum, square) => sum + square,
    )
  }
  expect(await roughness(drawn)).toBeLessThan(0.9 * (await roughness(photographed)))
})

it("a WebP from medium on keeps the blocks of a poor JPEG, which libwebp's filter would smooth away", async () => {
  const [width, height] = [320, 240]
  const soft = Uint8Array.from({ length: width * height * 3 }, (_, i) => {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)]
    return 90 + 70 * Math.sin(x / 60 + (i % 3)) * Math.cos(y / 70) + ((i * 7919) % 5)
  })
  const poor = await sharp(soft, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 20 })
    .toBuffer()
  const pixels = await toPixels(poor)
  const errorAt = async (score: number): Promise<number> => {
    const features = { opaque: true, grey: false, colours: 257, flatness: 0.1, planes: 0.5 }
    const wanted = { kind: 'score', goal: { score, slack: 1 } } as const
    const { draft } = await webpEncoderFor(scriptedRequest({ pixels, features, wanted, examine: () => IDENTICAL }))
    const shown = await toPixels(await draft.encode(pixels, 60))
    return shown.data.reduce((sum, value, at) => sum + (value - pixels.data[at]!) ** 2, 0)
  }
  expect(await errorAt(70)).toBeLessThan(0.95 * (await errorAt(55)))
})
