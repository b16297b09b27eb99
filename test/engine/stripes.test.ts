import sharp from 'sharp'
import { expect, it } from 'vitest'
import { run } from './run.ts'

/** px; 3 stripes of 100 shades are more colours than a palette holds, and no pixel repeats its neighbour. */
const SIDE = 400
const STRIPES = 3
const SHADES = 100

const drawStripes = (): Promise<Buffer> => {
  const data = Buffer.alloc(SIDE * SIDE * 3)
  for (let at = 0; at < SIDE * SIDE; at++)
    data[at * 3 + ((at % SIDE) % STRIPES)] = 100 + (Math.floor(at / SIDE) % SHADES)
  return sharp(data, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png({ palette: false })
    .toBuffer()
}

it('searches PNG for a drawing of fine stripes, whose own PNG is smaller than every JPEG', async () => {
  const source = await drawStripes()
  const [automatic, forced] = [await run(source), await run(source, { options: 'full,format=png' })]
  expect(automatic.result.bytes).toBeLessThanOrEqual(forced.result.bytes * 1.01)
  expect(automatic.result.bytes).toBeLessThan(source.length)
})
