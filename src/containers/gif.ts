import { HEADER_SIZES } from '../core/header-sizes.ts'

/** First byte of a GIF block (GIF89a, section 12 and appendix A). */
export const GIF_BLOCK = { EXTENSION: 0x21, IMAGE: 0x2c, TRAILER: 0x3b } as const
/** Label of an extension: the byte after its introducer. */
export const GIF_EXTENSION = { GRAPHIC_CONTROL: 0xf9, COMMENT: 0xfe, APPLICATION: 0xff } as const

/** Bytes of a colour table, from its packed field. */
export const colourTableBytes = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 << ((packed & 7) + 1))

/** Whether an application extension has the loop count. `name`: its identifier and code, 11 characters. */
export const isLoopExtension = (name: string): boolean => name === 'NETSCAPE2.0' || name === 'ANIMEXTS1.0'

/** An extension, or an image with its data. Views of the file. */
export interface GifBlock {
  readonly kind: 'extension' | 'image'
  /** The byte after an extension's introducer. Part of the position for an image. */
  readonly label: number
  readonly whole: Buffer
}

/** The offset after a chain of sub-blocks. One past the end when the file ends first. */
const afterSubBlocks = (gif: Uint8Array, start: number): number => {
  let at = start
  while (at < gif.length && gif[at] !== 0) at += gif[at]! + 1
  return at + 1
}

/** Offset of the first block: after the header and the global colour table. */
export const gifBlocksStart = (gif: Uint8Array): number => HEADER_SIZES.gif + colourTableBytes(gif[10] ?? 0)

/** The blocks of a GIF in order, up to its trailer or the first unknown block. Skips stray terminators. */
export function* readGifBlocks(file: Uint8Array): Generator<GifBlock> {
  const gif = Buffer.from(file.buffer, file.byteOffset, file.length)
  let at = gifBlocksStart(gif)
  while (at < gif.length) {
    const from = at
    const introducer = gif[at]
    const label = gif[at + 1] ?? 0
    if (introducer === GIF_BLOCK.EXTENSION) {
      at = afterSubBlocks(gif, at + 2)
      yield { kind: 'extension', label, whole: gif.subarray(from, at) }
    } else if (introducer === GIF_BLOCK.IMAGE) {
      at = afterSubBlocks(gif, at + HEADER_SIZES.gifImage + colourTableBytes(gif[at + 9] ?? 0))
      yield { kind: 'image', label, whole: gif.subarray(from, at) }
    } else if (introducer === 0) at += 1
    else return
  }
}
