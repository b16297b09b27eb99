import sharp from 'sharp'
import { readRiffChunks, writeRiffChunk } from '../../src/containers/riff.ts'
import type { Extent, Raster } from '../../src/core/image.ts'

/** One frame of an animated WebP (RFC 9649, section 2.7.1.1): a part of the canvas at an even place. */
export interface WebpFrame {
  readonly image: Raster<4>
  readonly left?: number
  readonly top?: number
  readonly delay: number
  /** Replaces what is there in place of being laid over it. */
  readonly replaces?: true
  /** Its area is transparent when the next frame comes. */
  readonly clears?: true
  readonly quality?: number
}

export const plain = (width: number, height: number, rgba: readonly [number, number, number, number]): Raster<4> => ({
  width,
  height,
  channels: 4,
  data: Uint8Array.from({ length: width * height * 4 }, (_, i) => rgba[i % 4]!),
})

const frameChunk = async ({
  image,
  left = 0,
  top = 0,
  delay,
  replaces,
  clears,
  quality,
}: WebpFrame): Promise<Buffer> => {
  const { width, height, data } = image
  const still = await sharp(data, { raw: { width, height, channels: 4 } })
    .webp(quality === undefined ? { lossless: true, exact: true } : { quality })
    .toBuffer()
  const parts = [...readRiffChunks(still)].filter(({ type }) => /^(VP8 |VP8L|ALPH)$/.test(type))
  const head = Buffer.alloc(16)
  for (const [i, value] of [left / 2, top / 2, width - 1, height - 1, delay].entries())
    head.writeUIntLE(value, i * 3, 3)
  head[15] = (replaces ? 2 : 0) | (clears ? 1 : 0)
  return writeRiffChunk('ANMF', Buffer.concat([head, ...parts.map(({ whole }) => whole)]))
}

/** An animated WebP of these frames, `loop` plays in all. */
export const animatedWebp = async (
  { width, height }: Extent,
  loop: number,
  frames: readonly WebpFrame[],
  metadata: Buffer = Buffer.alloc(0),
): Promise<Buffer> => {
  const canvas = Buffer.alloc(10)
  canvas[0] = 0x12 | (metadata.length > 0 ? 0x04 : 0)
  canvas.writeUIntLE(width - 1, 4, 3)
  canvas.writeUIntLE(height - 1, 7, 3)
  const control = Buffer.alloc(6)
  control.writeUInt16LE(loop, 4)
  const chunks = [
    writeRiffChunk('VP8X', canvas),
    writeRiffChunk('ANIM', control),
    ...(await Promise.all(frames.map(frameChunk))),
    ...(metadata.length > 0 ? [writeRiffChunk('XMP ', metadata)] : []),
  ]
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks])
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}
