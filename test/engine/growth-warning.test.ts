import sharp from 'sharp'
import { expect, it } from 'vitest'
import { run } from './run.ts'

it('names the bytes of an animation that is larger than its source with its mark', async () => {
  const frames = Uint8Array.from({ length: 24 * 72 * 3 }, (_, at) => (at * 7 + (at % 5) * 40) & 255)
  const source = await sharp(frames, { raw: { width: 24, height: 72, channels: 3, pageHeight: 24 } })
    .webp({ quality: 1, loop: 0, delay: [100, 100, 100] })
    .toBuffer()
  const { result, bytes, facts } = await run(source, { options: 'full,format=gif' })
  expect(facts.frames).toBe(3)
  expect(bytes.length).toBeGreaterThan(source.length)
  expect(result.warnings.join(' ')).toContain(`${bytes.length} bytes against ${source.length}`)
})
