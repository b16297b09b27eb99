/** How far the chroma of plain tiles is shifted: a histogram, and the tile that is farthest off. */
import { BRIGHT_ONE, PLAIN_BYTES } from './tile-means'
import { BLEEDING_BINS, bleedingCounts, plainAcross, plainDown, plainMarks, plainShown, plainSide, plainWas } from './layout'

/** Bins of the histogram per unit of chroma. */
const BINS_PER_UNIT: f64 = 4

export let farthest: f64 = 0
export let farthestTile: i32 = 0

/** Counts the plain tiles from `first` up to `beyond` by the shift of the candidate, which was fed last. */
export function countShifts(first: i32, beyond: i32): void {
  memory.fill(bleedingCounts, 0, <usize>BLEEDING_BINS << 2)
  farthest = 0
  farthestTile = 0
  const unit = BINS_PER_UNIT / (BRIGHT_ONE * <f64>(plainSide * plainSide))
  const last = min(beyond, plainAcross * plainDown)
  for (let tile = first; tile < last; tile++) {
    if (!load<u8>(plainMarks + <usize>tile)) continue
    const at = <usize>tile * PLAIN_BYTES
    const red = <f64>load<u32>(plainWas + at) - <f64>load<u32>(plainShown + at)
    const green = <f64>load<u32>(plainWas + at, 4) - <f64>load<u32>(plainShown + at, 4)
    const blue = <f64>load<u32>(plainWas + at, 8) - <f64>load<u32>(plainShown + at, 8)
    const luma = 0.3 * red + 0.6 * green + 0.1 * blue
    const shift = unit * Math.sqrt((red - luma) * (red - luma) + (blue - luma) * (blue - luma))
    const bin = bleedingCounts + (<usize>min(BLEEDING_BINS - 1, <i32>shift) << 2)
    store<u32>(bin, load<u32>(bin) + 1)
    if (shift <= farthest) continue
    farthest = shift
    farthestTile = tile
  }
}
