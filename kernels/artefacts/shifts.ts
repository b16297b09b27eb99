/**
 * Upper bounds of the shift (CIEDE2000) of each tile's mean colour, without cube roots for candidates: tangents of CIELAB's curve at the
 * reference's colours. The caller measures in full only the tiles that may be the worst.
 */
import { TILE_BYTES, colourAcross, colourDown, colourSide, colours, height, mostShifts, shownShares, tangents, width } from './layout'

/** Bytes of a tile's tangents: X, Y and Z in terms of white's, then the curve's slope and bend at each. */
const SHARES: usize = 24
const BENDS: usize = 48
const TANGENT_BYTES: usize = 72

/** X, Y and Z of every tile's mean light in terms of white's (the matrix of src/metric/artefacts/lab.ts), three doubles every `pitch` bytes. */
function fillShares(to: usize, pitch: usize): void {
  let at = colours
  for (let row = 0; row < colourDown; row++) {
    const rows = row == colourDown - 1 ? height - row * colourSide : colourSide
    for (let column = 0; column < colourAcross; column++, at += TILE_BYTES, to += pitch) {
      const columns = column == colourAcross - 1 ? width - column * colourSide : colourSide
      const pixels = <f64>columns * <f64>rows
      const red = load<f64>(at) / pixels
      const green = load<f64>(at, 8) / pixels
      const blue = load<f64>(at, 16) / pixels
      store<f64>(to, 0.4339499 * red + 0.3762098 * green + 0.1898403 * blue)
      store<f64>(to, 0.2126729 * red + 0.7151522 * green + 0.072175 * blue, 8)
      store<f64>(to, 0.0177566 * red + 0.109468 * green + 0.8727754 * blue, 16)
    }
  }
}

/** CIELAB's curve is a line up to here, and a cube root above. */
const LINE: f64 = 216.0 / 24389.0

/**
 * Sets slope and bend of the curve at the share `t`. The bend is half of the largest second derivative from `t / 2` on, 2^(5/3) / 9 of t^(-5/3), and no
 * more than where the line ends at `t / 2`, at a root of 0.2606: there the curve lies below the tangent by at most that times the squared distance.
 */
@inline
function settleTangent(at: usize): void {
  const t = load<f64>(at)
  const root = Math.cbrt(t)
  store<f64>(at, t > LINE ? 1 / (3 * root * root) : 24389.0 / 27 / 116, SHARES)
  const curved = max(root, 0.2606)
  store<f64>(at, 0.35275578932626656 / (curved * curved * (curved * curved) * curved), BENDS)
}

/** Takes the colours of the reference, which was fed last. */
export function settleTangents(): void {
  fillShares(tangents, TANGENT_BYTES)
  const end = tangents + <usize>(colourAcross * colourDown) * TANGENT_BYTES
  for (let tile = tangents; tile < end; tile += TANGENT_BYTES)
    for (let share: usize = 0; share < SHARES; share += 8) settleTangent(tile + share)
}

/** Whether a share and `difference` lie where the curve is bent more than the tangent's bend says. */
@inline
function bendsMore(share: f64, difference: f64): bool {
  return difference < -share / 2 && share > 2 * LINE
}

/** Upper bound of a tile's squared shift from the reference to the shares at `shown`. */
@inline
function mostShiftSquared(tile: usize, shown: usize): f64 {
  const x = load<f64>(tile)
  const y = load<f64>(tile, 8)
  const z = load<f64>(tile, 16)
  const dx = load<f64>(shown) - x
  const dy = load<f64>(shown, 8) - y
  const dz = load<f64>(shown, 16) - z
  if (bendsMore(x, dx) || bendsMore(y, dy) || bendsMore(z, dz)) return Infinity
  const byX = load<f64>(tile, SHARES) * dx
  const byY = load<f64>(tile, SHARES + 8) * dy
  const byZ = load<f64>(tile, SHARES + 16) * dz
  const belowX = load<f64>(tile, BENDS) * dx * dx
  const belowY = load<f64>(tile, BENDS + 8) * dy * dy
  const belowZ = load<f64>(tile, BENDS + 16) * dz * dz
  const l = 116 * (abs(byY) + belowY)
  const a = 500 * (abs(byX - byY) + max(belowX, belowY))
  const b = 200 * (abs(byY - byZ) + max(belowY, belowZ))
  // a* widens by a half at most, and blue's rotation adds at most sqrt(3) / 2 of chroma and hue. Both together multiply the square of a* by
  // 2.906 at most, at a chroma of 16.6: vivid colours widen less, and pale ones rotate less.
  return l * l + 2.91 * a * a + 1.8661 * b * b
}

/** Bounds the shifts of the candidate, which was fed last: at `mostShifts` a double a tile. */
export function boundShifts(): void {
  fillShares(shownShares, TILE_BYTES)
  const tiles = colourAcross * colourDown
  for (let tile = 0; tile < tiles; tile++) {
    const most = mostShiftSquared(tangents + <usize>tile * TANGENT_BYTES, shownShares + <usize>tile * TILE_BYTES)
    store<f64>(mostShifts + (<usize>tile << 3), most)
  }
}
