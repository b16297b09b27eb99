import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { canEncodeAnimatedAvif } from '../../src/motion/video/animated-avif.ts'
import { make } from './request.ts'

const able = await canEncodeAnimatedAvif()

it.runIf(able)('animated AVIF is an image sequence of the same frames', async () => {
  const { result } = await make('image-gif__moon_impact.gif', 'avif')
  expect((await readFile(result.path)).toString('latin1', 4, 12)).toBe('ftypavis')
  expect(result).toMatchObject({ frames: 14, durationMs: 2100, width: 116, height: 100 })
  expect(result.warnings.join()).toMatch(/plays for ever/)
})

it.skipIf(able)('animated AVIF is refused without an encoder', async () => {
  await expect(make('image-gif__moon_impact.gif', 'avif')).rejects.toMatchObject({ code: 'PROGRAM_MISSING' })
})
