import {
  intoBlocks,
  type PlainGif,
  printControl,
  printHead,
  printPalette,
  printPlace,
  tableBits,
} from '../write-gif.ts'
import type { StoredFrame } from './code-animation.ts'
import type { CoderPalette } from './palette.ts'

/** Colours as 0xRRGGBB. */
const numbersOf = ({ colours }: CoderPalette): number[] =>
  Array.from(
    { length: colours.length / 4 },
    (_, at) => (colours[at * 4]! << 16) | (colours[at * 4 + 1]! << 8) | colours[at * 4 + 2]!,
  )

/** Room for the colours and for the symbol that leaves what is there. */
const bitsOf = (palette: CoderPalette): number => tableBits(palette.colours.length / 4 + 1)

/** The begin of a GIF whose frames have this palette, unless they come with another. */
export const gifHeadOf = (gif: PlainGif, shared: CoderPalette): Buffer =>
  // One more than the colours: the symbol that leaves what is there needs a place in the table with some decoders.
  printHead(gif, [...numbersOf(shared), 0])

/** A frame of that GIF. */
export const gifFrameOf = (frame: StoredFrame, shared: CoderPalette, delay: number): Buffer => {
  const { box, coded, palette, clears } = frame
  // Written even if no pixel has it: without it, players paint the area outside a first frame.
  const transparent = palette.colours.length / 4
  const own = palette === shared ? undefined : bitsOf(palette)
  return Buffer.concat([
    printControl({ delay, clears, transparent }),
    printPlace(box, own),
    ...(own === undefined ? [] : [printPalette(numbersOf(palette), own)]),
    Buffer.from([coded.codeSize]),
    intoBlocks(coded.codes),
  ])
}
