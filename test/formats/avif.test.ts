import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { avifEncoderFor } from '../../src/formats/avif.ts'
import { IDENTICAL } from '../../src/formats/format.ts'
import { valueAt } from '../../src/search/curve.ts'
import { run } from '../engine/run.ts'
import { PHOTO } from '../engine/samples.ts'
import { scriptedRequest } from './request.ts'

const DRAWING = { opaque: true, grey: false, colours: 257, flatness: 0.9, planes: 0 }

const drawing = () => readFile(new URL('../../bench/public/sharp__trim-mc.png', import.meta.url))

const bitsOf = async (bytes: Uint8Array): Promise<number | undefined> => (await sharp(bytes).metadata()).bitsPerSample

it('AVIF of a small drawing has eight bits a channel and is smaller than our PNG', async () => {
  const source = await drawing()
  const asAvif = await run(source, { options: 'full,format=avif' })
  const asPng = await run(source, { options: 'full,format=png' })
  expect(asAvif.result.meetsTarget).toBe(true)
  expect(asAvif.bytes.length).toBeLessThan(asPng.bytes.length)
  expect(await bitsOf(asAvif.bytes)).toBe(8)
})

it('AVIF of a photograph has ten bits a channel at medium, and eight at low', async () => {
  const source = await sharp(PHOTO).resize(160).png().toBuffer()
  expect(await bitsOf((await run(source, { options: 'full,format=avif' })).bytes)).toBe(10)
  expect(await bitsOf((await run(source, { options: 'full,format=avif,quality=low' })).bytes)).toBe(8)
})

it('AVIF of ten bits a channel stores values that decoders show as the eight bits, whether they round or truncate', async () => {
  const features = { ...DRAWING, flatness: 0.1 }
  const storedOf = async (value: number): Promise<number> => {
    const pixels = { data: new Uint8Array(32 * 32 * 3).fill(value), width: 32, height: 32, channels: 3 } as const
    const { full } = avifEncoderFor(scriptedRequest({ pixels, features, examine: () => IDENTICAL }))
    const image = sharp(await full(71, []).encode(pixels, 63)).toColourspace('rgb16')
    const samples = await image.raw({ depth: 'ushort' }).toBuffer()
    return samples.readUInt16LE(0) >> 6
  }
  expect([await storedOf(0), await storedOf(180), await storedOf(255)]).toEqual([1, 722, 1022])
})

it('AVIF of a drawing has ten bits a channel at high where eight keep the score and break Butteraugli', () => {
  const pixels = { data: new Uint8Array(3e6), width: 1000, height: 1000, channels: 3 } as const
  const { full } = avifEncoderFor(scriptedRequest({ pixels, features: DRAWING, examine: () => IDENTICAL }))
  const rounded = { ssimulacra: 1, butteraugli3: -5 }
  expect(full(86, [rounded])).not.toBe(full(86, []))
  expect(full(86, [{ ssimulacra: 1, butteraugli3: -1 }])).toBe(full(86, []))
  expect(full(71, [rounded])).toBe(full(71, []))
})

it('AVIF of a photograph of 6 megapixels has eight bits below high, one of 1 megapixel at low alone', async () => {
  const bitsAt = async (side: number, goal: number): Promise<number | undefined> => {
    const pixels = { data: new Uint8Array(), width: side, height: side, channels: 3 } as const
    const features = { ...DRAWING, flatness: 0.1 }
    const { full } = avifEncoderFor(scriptedRequest({ pixels, features, examine: () => IDENTICAL }))
    const small = { data: new Uint8Array(64 * 64 * 3), width: 64, height: 64, channels: 3 } as const
    return bitsOf(await full(goal, []).encode(small, 30))
  }
  expect([await bitsAt(2450, 51), await bitsAt(2450, 71), await bitsAt(2450, 86)]).toEqual([8, 8, 10])
  expect([await bitsAt(1000, 51), await bitsAt(1000, 71), await bitsAt(1000, 86)]).toEqual([8, 10, 10])
})

it('AVIF searches at high go on for less of the bytes up to 4 megapixels than on a sample', () => {
  const savingAt = (side: number) => {
    const pixels = { data: new Uint8Array(), width: side, height: side, channels: 3 } as const
    const { minSaving } = avifEncoderFor(scriptedRequest({ pixels, examine: () => IDENTICAL }))
    return minSaving && [valueAt(minSaving, 70), valueAt(minSaving, 85)]
  }
  expect([savingAt(1000), savingAt(2450), savingAt(5000)]).toEqual([[0.045, 0.02], undefined, [0.08, 0.08]])
})

it('AVIF of a cut-out takes no more bytes for the photograph under its mask', async () => {
  const side = 96
  const photo = await sharp(PHOTO).resize(side, side).removeAlpha().raw().toBuffer()
  const cutOut = async (hidden: (sample: number) => number) => {
    const data = Uint8Array.from({ length: side * side * 4 }, (_, at) => {
      const pixel = at >> 2
      const isInside = Math.hypot((pixel % side) - side / 2, Math.floor(pixel / side) - side / 2) < side / 3
      if (at % 4 === 3) return isInside ? 255 : 0
      const sample = photo[pixel * 3 + (at % 4)]!
      return isInside ? sample : hidden(sample)
    })
    return sharp(data, { raw: { width: side, height: side, channels: 4 } })
      .png()
      .toBuffer()
  }
  const options = 'full,format=avif'
  const [covered, black] = [await cutOut((sample) => sample), await cutOut(() => 0)]
  expect((await run(covered, { options })).bytes.length).toBe((await run(black, { options })).bytes.length)
})
