import { GIF } from '../../core/gif-numbers.ts'
import type { Box, Extent } from '../../core/image.ts'
import type { Indexed } from '../../formats/palette/remap.ts'
import { openCodeWriter } from './coder/code-writer.ts'

/** One frame of a plain GIF: colour numbers over the whole canvas. */
export interface PlainFrame {
  /** One a pixel. */
  readonly indices: Uint8Array
  /** At most 256 colours, 0xRRGGBB. */
  readonly palette: readonly number[]
  /** The colour number that leaves what is there; none when absent. */
  readonly transparent?: number
  /** Nothing of it stays when its time is over. */
  readonly clears?: boolean
  /** ms, stored in hundredths of a second. */
  readonly delay: number
}

/**
 * The frames of an indexed image that holds them one below the other; undefined where a colour is half transparent. Where one
 * is transparent, each frame is cleared before the next.
 */
export const asPlainFrames = (
  { table, indices }: Indexed,
  { width, height }: Extent,
  delays: readonly number[],
): readonly PlainFrame[] | undefined => {
  const colours = Array.from({ length: table.length / 4 }, (_, at) => table.subarray(at * 4, at * 4 + 4))
  if (colours.some(([, , , alpha]) => alpha !== 0 && alpha !== 255)) return undefined
  const palette = colours.map(([red = 0, green = 0, blue = 0]) => (red << 16) | (green << 8) | blue)
  const transparent = colours.findIndex(([, , , alpha]) => alpha === 0)
  const how = transparent < 0 ? {} : { transparent, clears: true }
  const size = width * height
  return Array.from({ length: indices.length / size }, (_, number) => ({
    indices: indices.subarray(number * size, (number + 1) * size),
    palette,
    delay: delays[number] ?? 0,
    ...how,
  }))
}

export interface PlainGif {
  readonly width: number
  readonly height: number
  /** Plays in all, 0 = for ever. */
  readonly loop: number
}

const SIGNATURE = Buffer.from('GIF89a', 'latin1')
export const GIF_TRAILER = Buffer.from([0x3b])
/** Codes of LZW with eight bits a pixel (GIF89a, appendix F). */
const CODES = {
  /** Bits of each code. */
  bits: 9,
  /** Empties the dictionary. */
  clear: 256,
  /** Ends the data. */
  end: 257,
  /** Codes since the last clear after which a decoder's codes would grow to ten bits. */
  beforeGrowth: 254,
} as const

const u16 = (value: number): [number, number] => [value & 0xff, value >> 8]

/** Codes of nine bits, one a pixel: quick to write, and right for every decoder. */
const storeCodes = (indices: Uint8Array): Uint8Array => {
  const { put, finish } = openCodeWriter(indices.length)
  for (let i = 0; i < indices.length; i += 1) {
    if (i % CODES.beforeGrowth === 0) put(CODES.clear, CODES.bits)
    put(indices[i]!, CODES.bits)
  }
  put(CODES.end, CODES.bits)
  return finish()
}

/** Cuts data into GIF's blocks of at most 255 bytes, each with its length before it, and an empty one at the end. */
export const intoBlocks = (data: Uint8Array): Buffer => {
  const blocks = Buffer.alloc(data.length + Math.ceil(data.length / GIF.maxBlockBytes) + 1)
  let to = 0
  for (let at = 0; at < data.length; at += GIF.maxBlockBytes) {
    const block = data.subarray(at, at + GIF.maxBlockBytes)
    blocks[to] = block.length
    blocks.set(block, to + 1)
    to += 1 + block.length
  }
  return blocks
}

/** Bits of the number of a colour: a table has 2 to their power. */
export const tableBits = (colours: number): number => Math.max(1, Math.ceil(Math.log2(colours)))

/** A colour table of `bits`, filled up with black. */
export const printPalette = (palette: Iterable<number>, bits: number): Buffer => {
  const table = Buffer.alloc(3 << bits)
  let at = 0
  for (const colour of palette) at = table.writeUIntBE(colour, at, 3)
  return table
}

/** The NETSCAPE block of a GIF that plays `loop` times: it holds `loop - 1` repeats, and is absent for one. */
const printLoop = (loop: number): Buffer =>
  loop === 1
    ? Buffer.alloc(0)
    : Buffer.concat([
        Buffer.from([0x21, 0xff, 11]),
        Buffer.from('NETSCAPE2.0', 'latin1'),
        Buffer.from([3, 1, ...u16(Math.min(0xffff, Math.max(0, loop - 1))), 0]),
      ])

/** How a frame is shown: its delay, what is transparent, and whether it goes when its time is over. */
export const printControl = ({ transparent, delay, clears }: Omit<PlainFrame, 'indices' | 'palette'>): Buffer => {
  const flags = (clears === true ? 0x08 : 0x04) | (transparent === undefined ? 0 : 1)
  const hundredths = Math.min(0xffff, Math.round(delay / 10))
  return Buffer.from([0x21, 0xf9, 4, flags, ...u16(hundredths), transparent ?? 0, 0])
}

/** Where a frame lies, and the bits of its own colour table where it has one. */
export const printPlace = ({ left, top, width, height }: Box, table?: number): Buffer =>
  Buffer.from([0x2c, ...u16(left), ...u16(top), ...u16(width), ...u16(height), table === undefined ? 0 : 0x7f + table])

const printFrame = ({ width, height }: PlainGif, frame: PlainFrame): Buffer =>
  Buffer.concat([
    printControl(frame),
    printPlace({ left: 0, top: 0, width, height }, CODES.bits - 1),
    printPalette(frame.palette, CODES.bits - 1),
    Buffer.from([8]),
    intoBlocks(storeCodes(frame.indices)),
  ])

/** The head of a GIF. `shared` are the colours, 0xRRGGBB, of all frames without a palette of their own. */
export const printHead = ({ width, height, loop }: PlainGif, shared?: readonly number[]): Buffer => {
  const bits = shared === undefined ? 0 : tableBits(shared.length)
  const table = shared === undefined ? [] : [printPalette(shared, bits)]
  const packed = shared === undefined ? 0 : 0x7f + bits
  return Buffer.concat([
    SIGNATURE,
    Buffer.from([...u16(width), ...u16(height), packed, 0, 0]),
    ...table,
    printLoop(loop),
  ])
}

/** The parts of a GIF without any compression, for a program that compresses: each frame lies over the one before. */
export async function* plainGif(
  gif: PlainGif,
  frames: AsyncIterable<PlainFrame> | Iterable<PlainFrame>,
): AsyncGenerator<Buffer> {
  yield printHead(gif)
  for await (const frame of frames) yield printFrame(gif, frame)
  yield GIF_TRAILER
}
