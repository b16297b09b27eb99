import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { avifEncoderFor } from '../../src/formats/avif.ts'
import { IDENTICAL } from '../../src/formats/format.ts'
import { run } from '../engine/run.ts'
import { PHOTO } from '../engine/samples.ts'
import { scriptedRequest } from './request.ts'

const DRAWING = { opaque: true, grey: false, colours: 257, flatness: 0.9 }

const drawing = () => readFile(new URL('../../bench/public/sharp__trim-mc.png', import.meta.url))

const bitsOf = async (bytes: Uint8Array): Promise<number | undefined> => (await sharp(bytes).metadata()).bitsPerSample

it('AVIF of a small drawing has eight bits a channel and is smaller than our PNG', async () => {
  const source = await drawing()
  const asAvif = await run(source, { options: 'full,format=avif' })
  const asPng = await run(source, { options: 'full,format=png' })
  expect(asAvif.made.meetsTarget).toBe(true)
  expect(asAvif.bytes.length).toBeLessThan(asPng.bytes.length)
  expect(await bitsOf(asAvif.bytes)).toBe(8)
})

it('AVIF of a photograph has ten bits a channel at medium, and eight at low', async () => {
  const source = await sharp(PHOTO).resize(160).png().toBuffer()
  expect(await bitsOf((await run(source, { options: 'full,format=avif' })).bytes)).toBe(10)
  expect(await bitsOf((await run(source, { options: 'full,format=avif,quality=low' })).bytes)).toBe(8)
})

it('AVIF of a drawing has ten bits a channel at high where eight keep the score and break Butteraugli', () => {
  const pixels = { data: new Uint8Array(3e6), width: 1000, height: 1000, channels: 3 } as const
  const { full } = avifEncoderFor(scriptedRequest({ pixels, features: DRAWING, examine: () => IDENTICAL }))
  const rounded = { ssimulacra: 1, butteraugli3: -5 }
  expect(full(86, [rounded])).not.toBe(full(86, []))
  expect(full(86, [{ ssimulacra: 1, butteraugli3: -1 }])).toBe(full(86, []))
  expect(full(71, [rounded])).toBe(full(71, []))
})
