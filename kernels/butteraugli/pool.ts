/** The map of distances: those at half size are added to those at full size, and the powers of the sum are pooled by tile. */
import { all } from '../common/broadcast'
import { SUM_BYTES, Scale, TILE_BYTES, TILE_SHIFT, clearSums, scaleAt, tileSums, tiles, tilesAcross, tilesDown } from './layout'

/** Weights of a distance at full size and at half size. */
const remaining = memory.data<f32>([0.85])
const added = memory.data<f32>([0.5])

/** Adds a row of distances at half size, each for two columns. */
export function addHalf(image: Scale, from: usize, to: usize): void {
  const stride = image.stride
  for (let x: usize = 0; x < stride; x += 32) {
    const v = f32x4.mul(v128.load(from + (x >> 1)), all(added))
    const left = v128.shuffle<f32>(v, v, 0, 0, 1, 1)
    const right = v128.shuffle<f32>(v, v, 2, 2, 3, 3)
    v128.store(to + x, f32x4.add(f32x4.mul(v128.load(to + x), all(remaining)), left))
    v128.store(to + x, f32x4.add(f32x4.mul(v128.load(to + x, 16), all(remaining)), right), 16)
  }
}

/** Keeps the larger of two rows of distances in the second. */
export function keepLarger(bytes: usize, from: usize, to: usize): void {
  for (let x: usize = 0; x < bytes; x += 16) v128.store(to + x, f32x4.pmax(v128.load(from + x), v128.load(to + x)))
}

@inline
function upperHalf(v: v128): v128 {
  return v128.shuffle<f32>(v, v, 2, 3, 2, 3)
}

/** Adds four floats to two doubles, each of two. */
@inline
function addTo(at: usize, v: v128): void {
  const sum = f64x2.add(f64x2.promote_low_f32x4(v), f64x2.promote_low_f32x4(upperHalf(v)))
  v128.store(at, f64x2.add(v128.load(at), sum))
}

/** Adds what lies in a row of a tile to the sums of it; whole vectors. */
function addRow(from: usize, until: usize, to: usize): void {
  const zero = f32x4.splat(0)
  let third = zero
  let sixth = zero
  let twelfth = zero
  let most = zero
  for (let at = from; at < until; at += 16) {
    const v = v128.load(at)
    const cube = f32x4.mul(f32x4.mul(v, v), v)
    const square = f32x4.mul(cube, cube)
    third = f32x4.add(third, cube)
    sixth = f32x4.add(sixth, square)
    twelfth = f32x4.add(twelfth, f32x4.mul(square, square))
    most = f32x4.pmax(most, v)
  }
  addTo(to, third)
  addTo(to + 16, sixth)
  addTo(to + 32, twelfth)
  v128.store(to, f32x4.pmax(v128.load(to, 48), most), 48)
}

@inline
function total(at: usize): f64 {
  return load<f64>(at) + load<f64>(at, 8)
}

@inline
function largest(v: v128): f64 {
  const pairs = f32x4.pmax(v, upperHalf(v))
  return Math.max(<f64>f32x4.extract_lane(pairs, 0), <f64>f32x4.extract_lane(pairs, 1))
}

/** Writes the sums of a finished row of tiles, and resets them. */
function finishTiles(down: i32): void {
  for (let across = 0; across < tilesAcross; across++) {
    const from = tileSums + <usize>across * SUM_BYTES
    const to = tiles + <usize>(down * tilesAcross + across) * TILE_BYTES
    store<f64>(to, total(from))
    store<f64>(to + 8, total(from + 16))
    store<f64>(to + 16, total(from + 32))
    store<f64>(to + 24, largest(v128.load(from, 48)))
  }
  clearSums()
}

/** Pools row y of the finished map, whose tail is zero; the last tile of a row or column takes the rest. */
export function pool(y: i32, row: usize): void {
  const image = scaleAt(0)
  const last = tilesAcross - 1
  const bytes: usize = 4 << TILE_SHIFT
  for (let across = 0; across <= last; across++) {
    const from = <usize>across * bytes
    addRow(row + from, row + (across == last ? image.stride : from + bytes), tileSums + <usize>across * SUM_BYTES)
  }
  const down = min(y >> TILE_SHIFT, tilesDown - 1)
  if (y == (down == tilesDown - 1 ? image.height : (down + 1) << TILE_SHIFT) - 1) finishTiles(down)
}
