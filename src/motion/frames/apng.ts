import sharp from 'sharp'
import { type PngChunk, readPngChunks, writePng, writePngChunk } from '../../containers/png.ts'
import { fail } from '../../core/failure.ts'
import type { Box, Extent, Raster } from '../../core/image.ts'
import { MAX_FILE_ITEMS } from '../../core/untrusted-header.ts'
import { blendOver, clearBox, copyBox } from '../../raster/blend.ts'
import type { Animation } from './frames.ts'

interface ApngFrame extends Box {
  readonly delay: number
  readonly dispose: 'none' | 'background' | 'previous'
  readonly blend: 'source' | 'over'
  readonly data: Buffer[]
}

/** Chunks that the decoding of any frame needs. */
const SHARED = new Set(['PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT'])
const DISPOSE = ['none', 'background', 'previous'] as const

/** ms of an fcTL chunk: a fraction of a second, whose denominator 0 means 100. */
const delayOf = (control: Buffer): number => (control.readUInt16BE(20) * 1000) / (control.readUInt16BE(22) || 100)

const readControl = (control: Buffer): ApngFrame => ({
  width: control.readUInt32BE(4),
  height: control.readUInt32BE(8),
  left: control.readUInt32BE(12),
  top: control.readUInt32BE(16),
  delay: delayOf(control),
  dispose: DISPOSE[control[24]!] ?? 'none',
  blend: control[25] === 1 ? 'over' : 'source',
  data: [],
})

/** Frames with their compressed data. The default image counts only when a control chunk stands before it. */
const readFrames = (chunks: readonly PngChunk[]): ApngFrame[] => {
  const frames: ApngFrame[] = []
  for (const { type, data } of chunks) {
    if (type === 'fcTL' && data.length >= 26) frames.push(readControl(data))
    else if (type === 'IDAT') frames.at(-1)?.data.push(data)
    else if (type === 'fdAT') frames.at(-1)?.data.push(data.subarray(4))
  }
  return frames.filter((frame) => frame.data.length > 0)
}

const lies = (frame: ApngFrame, { width, height }: Extent): boolean =>
  frame.width < 1 || frame.height < 1 || frame.left + frame.width > width || frame.top + frame.height > height

/** Chunks of an APNG that are read before its frames are decoded. */
interface ApngFacts {
  readonly extent: Extent
  /** The content of IHDR, and the chunks that all frames share. */
  readonly header: Buffer
  readonly shared: readonly Buffer[]
  readonly frames: readonly ApngFrame[]
  readonly loop: number
}

const readChunks = (file: Buffer): readonly PngChunk[] => {
  const chunks = [...readPngChunks(file).take(MAX_FILE_ITEMS + 1)]
  if (chunks.length > MAX_FILE_ITEMS) throw fail('SOURCE_DAMAGED')
  return chunks
}

const readFacts = (file: Buffer, maxFrames: number): ApngFacts => {
  const chunks = readChunks(file)
  const header = chunks[0]
  const control = chunks.find(({ type }) => type === 'acTL')
  if (header?.type !== 'IHDR' || header.data.length !== 13 || control === undefined) throw fail('SOURCE_DAMAGED')
  const extent = { width: header.data.readUInt32BE(0), height: header.data.readUInt32BE(4) }
  const frames = readFrames(chunks).slice(0, maxFrames)
  if (frames.length === 0 || frames.some((frame) => lies(frame, extent))) throw fail('SOURCE_DAMAGED')
  const shared = chunks.filter(({ type }) => SHARED.has(type)).map(({ type, data }) => writePngChunk(type, data))
  return {
    extent,
    header: header.data,
    shared,
    frames,
    loop: control.data.length >= 8 ? control.data.readUInt32BE(4) : 0,
  }
}

/** Pixels of one frame alone, RGBA. */
const decodeFrame = async ({ header, shared }: ApngFacts, frame: ApngFrame): Promise<Uint8Array> => {
  const own = Buffer.from(header)
  own.writeUInt32BE(frame.width, 0)
  own.writeUInt32BE(frame.height, 4)
  const png = writePng([writePngChunk('IHDR', own), ...shared, writePngChunk('IDAT', Buffer.concat(frame.data))])
  return sharp(png, { failOn: 'none', limitInputPixels: false }).toColourspace('srgb').ensureAlpha().raw().toBuffer()
}

/** Composes frames one after the other, as they are shown. Reading on is cheap, reading back starts over. */
const openComposition = (facts: ApngFacts) => {
  const { extent, frames } = facts
  let canvas = new Uint8Array(extent.width * extent.height * 4)
  let next = 0
  const compose = async (): Promise<Raster> => {
    const frame = frames[next]!
    const pixels = await decodeFrame(facts, frame).catch(() => {
      throw fail('SOURCE_DAMAGED')
    })
    const before = frame.dispose === 'previous' && next > 0 ? canvas.slice() : undefined
    const draw = frame.blend === 'over' ? blendOver : copyBox
    draw(canvas, extent, pixels, frame)
    const shown = canvas.slice()
    // The specification treats "previous" of the first frame as "background".
    if (before !== undefined) canvas = before
    else if (frame.dispose !== 'none') clearBox(canvas, extent, frame)
    next += 1
    return { ...extent, channels: 4, data: shown }
  }
  const startOver = (): void => {
    canvas = new Uint8Array(canvas.length)
    next = 0
  }
  return {
    read: async (from: number, count: number): Promise<Raster[]> => {
      if (from < next) startOver()
      while (next < from) await compose()
      const read: Raster[] = []
      while (read.length < count && next < frames.length) read.push(await compose())
      return read
    },
  }
}

/**
 * Opens an APNG file: each frame becomes a PNG of its own that libvips decodes, so that untrusted bytes meet only libvips;
 * what is composed here are its pixels. Frames beyond `maxFrames`, which the limits were checked for, are left out. Fails with
 * SOURCE_DAMAGED, also where it has more chunks than are walked.
 */
export const openApng = (file: Buffer, maxFrames: number): Animation => {
  const facts = readFacts(file, maxFrames)
  const { extent, frames, loop } = facts
  const { read } = openComposition(facts)
  return { extent, frames: frames.length, delays: frames.map(({ delay }) => delay), loop, read }
}
