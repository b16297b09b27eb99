import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import sharp from 'sharp'
import { afterEach, expect, it, vi } from 'vitest'
import { CODECS } from '../../src/formats/registry.ts'
import { MOTIONS, ownFrames } from '../../src/motion/optimise-animation.ts'
import { answer, run } from './run.ts'

const PHOTO = await readFile(resolve(import.meta.dirname, '../fixtures/pixels/pillow__hopper_orientation_2.jpg'))

afterEach(() => vi.restoreAllMocks())

const failOn = (format: 'jpeg' | 'png'): void => {
  vi.spyOn(CODECS[format], 'search').mockImplementation(async function* () {
    yield* []
    throw new Error('Failed to allocate frame buffer')
  })
}

it('says that the answer is the untouched source because its encoder failed, also where the source itself is a candidate', async () => {
  failOn('jpeg')
  const { result } = await run(PHOTO, { options: 'full,format=jpeg' })
  expect(result.untouched).toBe(true)
  expect(result.warnings.join()).toContain('JPEG could not be encoded: this is the untouched source')
})

it('says that another format is the answer because an encoder failed', async () => {
  failOn('png')
  const { result, format } = await run(PHOTO, { options: '20' })
  expect(format).toBe('jpeg')
  expect(result.warnings).toContain('PNG could not be encoded: this is the best result without it.')
})

it('says that the answer is from before its format failed', async () => {
  const { search } = CODECS.webp
  vi.spyOn(CODECS.webp, 'search').mockImplementation(async function* (request) {
    for await (const step of search(request)) {
      yield step
      if (step.kind === 'candidate') throw new Error('Failed to allocate frame buffer')
    }
  })
  const { result, format } = await run(PHOTO, { options: '60,format=webp' })
  expect(format).toBe('webp')
  expect(result.warnings).toContain('WEBP could not be searched to the end: this is the best result until then.')
})

it('names the failed format where an animation that its mark makes larger becomes its source', async () => {
  vi.spyOn(MOTIONS.gif!, 'make').mockImplementation(async (job) => {
    // As large as the source, and not exact: its mark makes it larger.
    const { untouched: _, ...own } = await ownFrames(job)
    job.offer({ ...own, bytes: job.facts.bytes, score: 99 })
    throw new Error('Failed to allocate frame buffer')
  })
  const gif = await readFile(resolve(import.meta.dirname, '../fixtures/motion/pillow__dispose_bgnd.gif'))
  const { result, facts } = await answer(gif, { options: 'full,format=gif' })
  expect([result.untouched, result.bytes <= facts.bytes]).toEqual([true, true])
  expect(result.warnings).toEqual(['GIF could not be encoded: this is the untouched source without its metadata.'])
})

it('says that an early result is larger than its source', async () => {
  const webp = await sharp(PHOTO).webp({ quality: 1 }).toBuffer()
  const { offers, facts } = await run(webp, { options: 'full,format=png' })
  expect(offers.length).toBeGreaterThan(0)
  for (const { bytes, warnings } of offers)
    expect(warnings).toContain(`The PNG result is larger than its WEBP source: ${bytes} bytes against ${facts.bytes}.`)
})
