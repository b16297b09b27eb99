import type { Extent } from '../../core/image.ts'
import type { Indexed } from '../../formats/palette/remap.ts'

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
const TRAILER = Buffer.from([0x3b])
const CODE_BITS = 9
const CLEAR = 256
const END = 257
/** After so many codes since the last clear a decoder's codes would grow to ten bits. */
const BEFORE_GROWTH = 254
const MOST_BLOCK = 255

const u16 = (value: number): [number, number] => [value & 0xff, value >> 8]

/** Codes of nine bits, one a pixel: quick to write, and right for every decoder. */
const storeCodes = (indices: Uint8Array): Buffer => {
  const codes = indices.length + Math.ceil(indices.length / BEFORE_GROWTH) + 1
  const bytes = Buffer.alloc(Math.ceil((codes * CODE_BITS) / 8))
  let at = 0
  let bits = 0
  let held = 0
  const put = (code: number): void => {
    held |= code << bits
    bits += CODE_BITS
    while (bits >= 8) {
      bytes[at++] = held & 0xff
      held >>>= 8
      bits -= 8
    }
  }
  for (const [i, index] of indices.entries()) {
    if (i % BEFORE_GROWTH === 0) put(CLEAR)
    put(index)
  }
  put(END)
  if (bits > 0) bytes[at++] = held & 0xff
  return bytes.subarray(0, at)
}

/** Cuts data into GIF's blocks of at most 255 bytes, each with its length before it, and an empty one at the end. */
const intoBlocks = (data: Buffer): Buffer => {
  const blocks = Buffer.alloc(data.length + Math.ceil(data.length / MOST_BLOCK) + 1)
  let to = 0
  for (let at = 0; at < data.length; at += MOST_BLOCK) {
    const block = data.subarray(at, at + MOST_BLOCK)
    blocks[to] = block.length
    blocks.set(block, to + 1)
    to += 1 + block.length
  }
  return blocks
}

const printPalette = (palette: readonly number[]): Buffer => {
  const table = Buffer.alloc(256 * 3)
  for (const [i, colour] of palette.entries()) table.writeUIntBE(colour, i * 3, 3)
  return table
}

/** What makes a GIF play N times in all: N - 1 repeats; once is told by leaving it out. */
const printLoop = (loop: number): Buffer =>
  loop === 1
    ? Buffer.alloc(0)
    : Buffer.concat([
        Buffer.from([0x21, 0xff, 11]),
        Buffer.from('NETSCAPE2.0', 'latin1'),
        Buffer.from([3, 1, ...u16(Math.min(0xffff, Math.max(0, loop - 1))), 0]),
      ])

const printFrame = ({ width, height }: PlainGif, frame: PlainFrame): Buffer => {
  const { transparent, delay, clears } = frame
  const flags = (clears === true ? 0x08 : 0x04) | (transparent === undefined ? 0 : 1)
  const hundredths = Math.min(0xffff, Math.round(delay / 10))
  return Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, flags, ...u16(hundredths), transparent ?? 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, ...u16(width), ...u16(height), 0x87]),
    printPalette(frame.palette),
    Buffer.from([8]),
    intoBlocks(storeCodes(frame.indices)),
  ])
}

/** The parts of a GIF without any compression, for a program that compresses: each frame lies over the one before. */
export async function* plainGif(
  gif: PlainGif,
  frames: AsyncIterable<PlainFrame> | Iterable<PlainFrame>,
): AsyncGenerator<Buffer> {
  yield Buffer.concat([SIGNATURE, Buffer.from([...u16(gif.width), ...u16(gif.height), 0, 0, 0]), printLoop(gif.loop)])
  for await (const frame of frames) yield printFrame(gif, frame)
  yield TRAILER
}
