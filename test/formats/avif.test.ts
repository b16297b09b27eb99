import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { run } from '../engine/run.ts'
import { PHOTO } from '../engine/samples.ts'

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
