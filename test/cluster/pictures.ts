import { resolve } from 'node:path'
import sharp from 'sharp'

const PHOTOGRAPH = resolve(import.meta.dirname, '../fixtures/jpeg/kodim05-190x158.png')

/** A photograph like no other: enlarged, turned a little by `seed`, with grain; JPEG. The wider, the longer it is worked on. */
export const picture = async (seed: number, width = 700): Promise<Buffer> => {
  const { data, info } = await sharp(PHOTOGRAPH)
    .resize(width)
    .modulate({ hue: (seed * 37) % 360 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  let state = seed * 2654435761 + 1
  for (let index = 0; index < data.length; index += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    data[index] = Math.max(0, Math.min(255, data[index]! + (state >>> 28) - 8))
  }
  return sharp(data, { raw: info }).jpeg({ quality: 95 }).toBuffer()
}
