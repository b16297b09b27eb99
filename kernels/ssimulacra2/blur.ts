/** The 9-tap separable Gaussian of sigma 1.5, zero-padded: down the rows of a ring into a short strip, then along the strip. */
import { margin, tall, zeroRow } from './layout'

const tap0: f32 = 0.2646211055
const tap1: f32 = 0.212928592
const tap2: f32 = 0.109335372
const tap3: f32 = 0.0360111147
const tap4: f32 = 0.0094143678

/** Columns blurred at a time, so that the strips stay in the first cache. */
export const stripColumns: i32 = 256
/** Strips of up to three maps, with margins. */
export const stripBytes: usize = 1152
export const strips: usize = memory.data(3 * 1152, 16)

/** Addresses of the nine rows around the one in hand, for the first map; the zero row stands for those outside. */
const rows: usize = memory.data(36, 16)
/** Bytes to the next map of each row: none for the zero row. */
const steps: usize = memory.data(36, 16)

/** Chooses the rows y-4 .. y+4 of a ring whose maps are nine rows of `pitch` bytes. */
export function aim(ring: usize, pitch: usize, y: i32, height: i32): void {
  for (let k = 0; k < tall; k++) {
    const row = y + k - 4
    const inside = row >= 0 && row < height
    store<usize>(rows + (k << 2), inside ? ring + <usize>(row % tall) * pitch : zeroRow)
    store<usize>(steps + (k << 2), inside ? <usize>tall * pitch : 0)
  }
}

@inline
function rowOf(k: usize, map: usize, offset: usize): usize {
  return load<usize>(rows + (k << 2)) + map * load<usize>(steps + (k << 2)) + offset
}

@inline
function weigh(centre: v128, one: v128, two: v128, three: v128, four: v128): v128 {
  const inner = f32x4.add(f32x4.mul(centre, f32x4.splat(tap0)), f32x4.mul(one, f32x4.splat(tap1)))
  const outer = f32x4.add(f32x4.mul(three, f32x4.splat(tap3)), f32x4.mul(four, f32x4.splat(tap4)))
  return f32x4.add(f32x4.add(inner, f32x4.mul(two, f32x4.splat(tap2))), outer)
}

/** Blurs columns `from` .. `from + count` of one map downwards into its strip, with the margins on either side. */
export function blurDown(map: usize, from: i32, count: i32): void {
  const offset = <usize>from << 2
  const r0 = rowOf(0, map, offset)
  const r1 = rowOf(1, map, offset)
  const r2 = rowOf(2, map, offset)
  const r3 = rowOf(3, map, offset)
  const r4 = rowOf(4, map, offset)
  const r5 = rowOf(5, map, offset)
  const r6 = rowOf(6, map, offset)
  const r7 = rowOf(7, map, offset)
  const r8 = rowOf(8, map, offset)
  const strip = strips + map * stripBytes
  const last = (<usize>count + 2 * margin) << 2
  for (let x: usize = 0; x < last; x += 16) {
    const one = f32x4.add(v128.load(r3 + x), v128.load(r5 + x))
    const two = f32x4.add(v128.load(r2 + x), v128.load(r6 + x))
    const three = f32x4.add(v128.load(r1 + x), v128.load(r7 + x))
    const four = f32x4.add(v128.load(r0 + x), v128.load(r8 + x))
    v128.store(strip + x, weigh(v128.load(r4 + x), one, two, three, four))
  }
}

/** Four columns of a strip blurred along; `at` is the strip's address of the first of them, margin excluded. */
@inline
export function blurAlong(at: usize): v128 {
  const one = f32x4.add(v128.load(at, 12), v128.load(at, 20))
  const two = f32x4.add(v128.load(at, 8), v128.load(at, 24))
  const three = f32x4.add(v128.load(at, 4), v128.load(at, 28))
  const four = f32x4.add(v128.load(at), v128.load(at, 32))
  return weigh(v128.load(at, 16), one, two, three, four)
}
