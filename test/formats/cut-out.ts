import { readFile } from 'node:fs/promises'
import sharp from 'sharp'

/** A photograph of 190 x 158 px, cut out along a soft ellipse, as PNG. */
export const cutOut = async (): Promise<Buffer> => {
  const photograph = await readFile(new URL('../fixtures/jpeg/kodim23-190x158.png', import.meta.url))
  const ellipse =
    '<svg width="190" height="158"><filter id="soft"><feGaussianBlur stdDeviation="2"/></filter>' +
    '<ellipse cx="95" cy="79" rx="84" ry="70" filter="url(#soft)"/></svg>'
  return sharp(photograph)
    .ensureAlpha()
    .composite([{ input: Buffer.from(ellipse), blend: 'dest-in' }])
    .png()
    .toBuffer()
}
