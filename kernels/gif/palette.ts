// The frame's colours as the search looks at them: points in f64, and where those of a luma begin.
import { MAX_COLOURS, POINT, palettePoints } from './layout'

/** Largest luma: 255 times its scale of 1.2. */
const MAX_LUMA = 306
/** Bytes of a colour's point, f64. */
const COLOUR: usize = 24
/** By colour its point; the one past the last is what is there at the pixel that is looked at. */
const COLOURS = memory.data(256 * 24, 16)
/** First colour of at least a luma, by luma from 0 to MAX_LUMA + 1, u16. */
const FIRSTS = memory.data((306 + 2) * 2, 16)

/** How many there are: the symbol that leaves what is there. */
export let leaving: u32 = 0

// @ts-ignore: decorator
@inline export function colour(symbol: u32): usize { return COLOURS + <usize>symbol * COLOUR }

/** Takes over the frame's colours, at most MAX_COLOURS, in rising luma. */
export function openPalette(count: u32): void {
  leaving = min(count, <u32>MAX_COLOURS)
  for (let symbol: u32 = 0; symbol < leaving; symbol++) {
    const from = palettePoints + <usize>symbol * POINT
    const to = colour(symbol)
    store<f64>(to, load<f32>(from))
    store<f64>(to, load<f32>(from, 4), 8)
    store<f64>(to, load<f32>(from, 8), 16)
  }
  let symbol: u32 = 0
  for (let luma = 0; luma < MAX_LUMA + 2; luma++) {
    while (symbol < leaving && load<f64>(colour(symbol)) < luma) symbol++
    store<u16>(FIRSTS + (<usize>luma << 1), <u16>symbol)
  }
}

/** The first colour of at least `luma`, rounded down. */
export function firstWith(luma: f64): u32 {
  const place = <usize>max<f64>(0, min<f64>(MAX_LUMA + 1, Math.floor(luma)))
  return load<u16>(FIRSTS + (place << 1))
}
