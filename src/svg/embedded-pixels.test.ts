import sharp from 'sharp'
import { expect, it } from 'vitest'
import { countEmbeddedPixels } from './embedded-pixels.ts'
import { parseTree } from './tree.ts'

const rootOf = (inner: string) => parseTree(`<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`).root
const image = async (width: number, height: number): Promise<string> => {
  const png = await sharp({ create: { width, height, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  return `<image href="data:image/png;base64,${png.toString('base64')}"/>`
}

it('pixels of embedded images are summed by their headers, each image once', async () => {
  const [small, large] = await Promise.all([image(10, 20), image(3_000, 2_000)])
  expect(await countEmbeddedPixels(rootOf(`${small}${large}${small}`))).toEqual({ sum: 6_000_200, largest: 6_000_000 })
})

it('pixels in embedded SVG count, and data that is no image does not', async () => {
  const inner = `<svg xmlns="http://www.w3.org/2000/svg">${await image(30, 40)}</svg>`
  const nested = `<image href="data:image/svg+xml;base64,${Buffer.from(inner).toString('base64')}"/>`
  const broken = '<image href="data:image/png;base64,AAAA"/>'
  expect(await countEmbeddedPixels(rootOf(`${nested}${broken}`))).toEqual({ sum: 1200, largest: 1200 })
})
