/** The map of distances: those at half size are added to those at full size, and the powers of the sum are pooled by tile. */
import { all } from '../common/broadcast'
import { GROUP, Scale, TILE_BYTES, TILE_SHIFT, scaleAt, tiles, tilesAcross, tilesDown } from './layout'

/** What remains of a distance at full size when half of that at half size is added. */
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
function total(v: v128): f64 {
  const low = f64x2.promote_low_f32x4(v)
  const high = f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3))
  const sum = f64x2.add(low, high)
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
}

@inline
function largest(v: v128): f64 {
  const pairs = f32x4.pmax(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return Math.max(<f64>f32x4.extract_lane(pairs, 0), <f64>f32x4.extract_lane(pairs, 1))
}

@inline
function addTo(at: usize, v: v128): void {
  store<f64>(at, load<f64>(at) + total(v))
}

/** Pools row y of the finished map, whose tail is zero, a group of columns (half a tile) at a time. */
export function pool(y: i32, row: usize): void {
  const image = scaleAt(0)
  const stride = image.stride
  const down = min(y >> TILE_SHIFT, tilesDown - 1)
  const zero = f32x4.splat(0)
  for (let group: usize = 0; group < stride; group += GROUP) {
    let third = zero
    let sixth = zero
    let twelfth = zero
    let most = zero
    for (let x = group; x < group + GROUP; x += 16) {
      const v = v128.load(row + x)
      const cube = f32x4.mul(f32x4.mul(v, v), v)
      const square = f32x4.mul(cube, cube)
      third = f32x4.add(third, cube)
      sixth = f32x4.add(sixth, square)
      twelfth = f32x4.add(twelfth, f32x4.mul(square, square))
      most = f32x4.pmax(most, v)
    }
    const across = min(<i32>(group / (GROUP << (TILE_SHIFT - 4))), tilesAcross - 1)
    const to = tiles + <usize>(down * tilesAcross + across) * TILE_BYTES
    addTo(to, third)
    addTo(to + 8, sixth)
    addTo(to + 16, twelfth)
    store<f64>(to + 24, Math.max(load<f64>(to + 24), largest(most)))
  }
}
