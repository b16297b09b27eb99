/**
 * Upper bounds of the shift (CIEDE2000) of each tile's mean colour, without cube roots for candidates: tangents of CIELAB's curve at the
 * reference's colours. The caller measures in full only the tiles that may be the worst.
 */
import { TILE_BYTES, colourAcross, colourDown, colourSide, colours, height, mostShifts, shownShares, tangents, width } from './layout'

/** Bytes of a tile's tangents: X, Y and Z in terms of white's, the curve's slope and bend at each, then how far L* is from 50, chroma, and b*. */
const SHARES: usize = 24
const BENDS: usize = 48
const COLOUR: usize = 72
const TANGENT_BYTES: usize = 96

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
 * Sets slope and bend of the curve at the share `t`, and returns the curve. The bend is half of the largest second derivative from `t / 2` on,
 * 2^(5/3) / 9 of t^(-5/3), and no more than where the line ends at `t / 2`, at a root of 0.2606: there the curve lies below the tangent by at most
 * that times the squared distance.
 */
@inline
function settleTangent(at: usize): f64 {
  const t = load<f64>(at)
  const root = Math.cbrt(t)
  store<f64>(at, t > LINE ? 1 / (3 * root * root) : 24389.0 / 27 / 116, SHARES)
  const curved = max(root, 0.2606)
  store<f64>(at, 0.35275578932626656 / (curved * curved * (curved * curved) * curved), BENDS)
  return t > LINE ? root : ((24389.0 / 27) * t + 16) / 116
}

/** Takes the colours of the reference, which was fed last. */
export function settleTangents(): void {
  fillShares(tangents, TANGENT_BYTES)
  const end = tangents + <usize>(colourAcross * colourDown) * TANGENT_BYTES
  for (let tile = tangents; tile < end; tile += TANGENT_BYTES) {
    const x = settleTangent(tile)
    const y = settleTangent(tile + 8)
    const z = settleTangent(tile + 16)
    const a = 500 * (x - y)
    const b = 200 * (y - z)
    store<f64>(tile, abs(116 * y - 66), COLOUR)
    store<f64>(tile, Math.sqrt(a * a + b * b), COLOUR + 8)
    store<f64>(tile, b, COLOUR + 16)
  }
}

/** Whether a share and `difference` lie where the curve is bent more than the tangent's bend says. */
@inline
function bendsMore(share: f64, difference: f64): bool {
  return difference < -share / 2 && share > 2 * LINE
}

/** CIEDE2000's measure of how vivid a chroma is, 0..1. */
@inline
function vividness(chroma: f64): f64 {
  const cube = chroma * chroma * chroma
  const seventh = cube * cube * chroma
  return Math.sqrt(seventh / (seventh + 6103515625))
}

/**
 * Upper bound of a tile's squared shift, from those of its differences in L*, in a* (squared) and in b*. CIEDE2000's weights are those of the mean colour
 * that is palest and nearest to an L* of 50. The weight of hue is smaller than that of chroma, and its factor T is 0.362 or more at every hue. Blue's rotation
 * adds at most sqrt(3) / 2 of the squares of chroma and hue. It adds nothing where b* stays above 0: those hues are 95 degrees or more from blue's.
 */
@inline
function withWeights(tile: usize, l: f64, aSquared: f64, b: f64): f64 {
  const chroma = load<f64>(tile, COLOUR + 8)
  const reach = Math.sqrt(aSquared + b * b) / 2
  const palest = max(0, chroma - reach)
  const widening = 1.5 - 0.5 * vividness(palest)
  const rotated = load<f64>(tile, COLOUR + 16) > b ? 1.000001 : 1 + 0.8661 * vividness(widening * (chroma + reach))
  const fromMiddle = max(0, load<f64>(tile, COLOUR) - l / 2)
  const squared = fromMiddle * fromMiddle
  const byLightness = l / (1 + (0.015 * squared) / Math.sqrt(20 + squared))
  const hueWeight = 1 + 0.015 * 0.362 * palest
  return byLightness * byLightness + (rotated * (widening * widening * aSquared + b * b)) / (hueWeight * hueWeight)
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
  return withWeights(tile, l, a * a, b)
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
