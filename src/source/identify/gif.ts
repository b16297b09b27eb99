import { colourTableBytes, GIF_BLOCK, GIF_EXTENSION, isLoopExtension } from '../../containers/gif.ts'
import { fail } from '../../core/failure.ts'
import { GIF } from '../../core/gif-numbers.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import { MAX_FILE_ITEMS } from '../../core/untrusted-header.ts'
import { type ByteReader, exactly, type HeaderFacts, type ReadHeader, requireExtent } from './reader.ts'

/** Bytes of a chain of sub-blocks that is read synchronously: one sub-block of the largest size. */
const SHORT_CHAIN = 1 + GIF.maxBlockBytes
const NO_BYTES = Buffer.alloc(0)

/** Returns the offset after a short chain of sub-blocks in the held window. An await for each of many chains would cost too much. */
const afterHeldBlocks = (reader: ByteReader, start: number): number | undefined => {
  const bytes = reader.held(start, SHORT_CHAIN) ?? NO_BYTES
  let at = 0
  while (at < bytes.length) {
    const length = bytes[at] ?? 0
    at += length + 1
    if (length === 0) return start + at
  }
  return undefined
}

/** Returns the offset after a chain of sub-blocks, or undefined if the file ends first. */
const afterBlocks = async (reader: ByteReader, start: number): Promise<number | undefined> => {
  let offset = start
  for (;;) {
    const bytes = await reader.near(offset)
    if (bytes.length === 0) return undefined
    let at = 0
    while (at < bytes.length) {
      const length = bytes[at] ?? 0
      at += length + 1
      if (length === 0) return offset + at
    }
    offset += at
  }
}

interface Gathered {
  frames: number
  transparent: boolean
  /** Number of plays; 0 means endless. */
  loop: number
  /** Right and lower edge of the first frame. */
  right: number
  bottom: number
}

/** Reads an image descriptor: left, top, width, height, packed field. */
const takeFrame = (
  found: Gathered,
  head: Buffer,
  screen: { readonly width: number; readonly height: number },
): void => {
  const [left, top] = [head.readUInt16LE(0), head.readUInt16LE(2)]
  const [width, height] = [head.readUInt16LE(4), head.readUInt16LE(6)]
  if (found.frames++ > 0) return
  // The area that the first frame does not cover is transparent.
  found.transparent ||= left > 0 || top > 0 || left + width < screen.width || top + height < screen.height
  found.right = left + width
  found.bottom = top + height
}

/**
 * The number of plays. NETSCAPE2.0 stores the repetitions after the first play, as browsers count them: 0 means endless, N means
 * N + 1 plays. Without the extension an animation plays once.
 */
const loopOf = (application: Buffer): number | undefined => {
  const name = application.toString('latin1', 1, 12)
  if (!isLoopExtension(name)) return undefined
  if (application.length < 16 || application[12] !== 3 || application[13] !== 1) return undefined
  const repetitions = application.readUInt16LE(14)
  return repetitions === 0 ? 0 : repetitions + 1
}

const takeExtension = (found: Gathered, bytes: Buffer): void => {
  const [label, body] = [bytes[0], bytes.subarray(1)]
  const packed = body[1] ?? 0
  // A transparent colour, or the disposal "restore to background", which clears the area.
  if (label === GRAPHIC_CONTROL && ((packed & 1) === 1 || ((packed >> 2) & 7) === 2)) found.transparent = true
  if (label === APPLICATION) found.loop = loopOf(body) ?? found.loop
}

const { EXTENSION, IMAGE } = GIF_BLOCK
const { GRAPHIC_CONTROL, APPLICATION } = GIF_EXTENSION

/** Walks the blocks to the trailer, the end of the file, or the first unknown block. */
const walk = async (
  reader: ByteReader,
  screen: { width: number; height: number },
  start: number,
): Promise<Gathered> => {
  const found: Gathered = { frames: 0, transparent: false, loop: 1, right: 0, bottom: 0 }
  let offset: number | undefined = start
  for (let blocks = 0; offset !== undefined && blocks < MAX_FILE_ITEMS; blocks++) {
    const head: Buffer = reader.held(offset, HEADER_SIZES.gifBlock) ?? (await reader.at(offset, HEADER_SIZES.gifBlock))
    const kind = head[0]
    if (kind === EXTENSION) {
      takeExtension(found, head.subarray(1))
      offset = afterHeldBlocks(reader, offset + 2) ?? (await afterBlocks(reader, offset + 2))
    } else if (kind === IMAGE) {
      if (head.length < 10) break
      takeFrame(found, head.subarray(1), screen)
      const data: number = offset + HEADER_SIZES.gifImage + colourTableBytes(head[9] ?? 0)
      offset = afterHeldBlocks(reader, data) ?? (await afterBlocks(reader, data))
      // Decoders drop a truncated last frame unless it is the only one.
      if (offset === undefined && found.frames > 1) found.frames--
    } else if (kind === 0) {
      // Decoders skip stray terminators between blocks.
      offset += 1
    } else break
  }
  return found
}

/** GIF, both versions. Counts frames by walking the blocks. Fails with SOURCE_DAMAGED when there is none. */
export const readGif: ReadHeader = async (reader): Promise<HeaderFacts> => {
  const head = await exactly(reader, 6, 7)
  const screen = { width: head.readUInt16LE(0), height: head.readUInt16LE(2) }
  const found = await walk(reader, screen, HEADER_SIZES.gif + colourTableBytes(head[4] ?? 0))
  if (found.frames === 0) throw fail('SOURCE_DAMAGED')
  // A first frame that exceeds the screen enlarges it, in browsers as in decoders.
  const extent = requireExtent(Math.max(screen.width, found.right), Math.max(screen.height, found.bottom))
  return {
    format: 'gif',
    ...extent,
    frames: found.frames,
    alpha: found.transparent,
    orientation: 1,
    profile: 'none',
    ...(found.frames > 1 ? { loop: found.loop } : {}),
  }
}
