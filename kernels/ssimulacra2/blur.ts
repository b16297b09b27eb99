/** The 9-tap separable Gaussian of sigma 1.5, zero-padded: down the rows of a ring into a short strip, then along the strip. */
import { all } from '../common/broadcast'
import { margin, ringRows, zeroRow } from './layout'

/** Weights, centre outwards. */
const tap0 = memory.data<f32>([0.2646211055])
const tap1 = memory.data<f32>([0.212928592])
const tap2 = memory.data<f32>([0.109335372])
const tap3 = memory.data<f32>([0.0360111147])
const tap4 = memory.data<f32>([0.0094143678])

/** Columns blurred at a time, so that the strips stay in the first cache. */
export const stripColumns: i32 = 256
/** A strip with its margins, and room for what the last round of a loop writes too much. */
const stripBytes: usize = 1152
/** Strips of up to three maps for two rows. */
const strips: usize = memory.data(6 * 1152, 16)

/** Addresses of the ten rows around the two in hand, for the first map; the zero row stands for those outside. */
const rows: usize = memory.data(40, 16)
/** Bytes to the next map of each row: none for the zero row. */
const steps: usize = memory.data(40, 16)

/** Where the strip of a map lies, for the first or second row in hand. */
@inline
export function stripOf(map: usize, second: usize): usize {
  return strips + (map + 3 * second) * stripBytes
}

/** Chooses the rows y-4 .. y+5 of a ring, for rows y and y+1. */
export function aim(ring: usize, pitch: usize, y: i32, height: i32): void {
  for (let k = 0; k < ringRows; k++) {
    const row = y + k - 4
    const inside = row >= 0 && row < height
    store<usize>(rows + (k << 2), inside ? ring + <usize>(row % ringRows) * pitch : zeroRow)
    store<usize>(steps + (k << 2), inside ? <usize>ringRows * pitch : 0)
  }
}

@inline
function rowOf(k: usize, map: usize, offset: usize): usize {
  return load<usize>(rows + (k << 2)) + map * load<usize>(steps + (k << 2)) + offset
}

/** The weighted sum of a centre and of the pairs one to four steps beside it. The weights are loaded before the loops: 7 % of a comparison. */
@inline
function weigh(
  centre: v128, one: v128, two: v128, three: v128, four: v128, w0: v128, w1: v128, w2: v128, w3: v128, w4: v128,
): v128 {
  const inner = f32x4.add(f32x4.mul(centre, w0), f32x4.mul(one, w1))
  const outer = f32x4.add(f32x4.mul(three, w3), f32x4.mul(four, w4))
  return f32x4.add(f32x4.add(inner, f32x4.mul(two, w2)), outer)
}

/** Blurs columns `from` .. `from + count` of one map and both rows: down into the strips, then along them. */
export function blurMap(map: usize, from: i32, count: i32): void {
  blurDown(map, from, count)
  blurAlong(stripOf(map, 0), count)
  blurAlong(stripOf(map, 1), count)
}

/** Two rows at once, which share eight of the nine rows that each reaches: what is read comes from the second cache. */
function blurDown(map: usize, from: i32, count: i32): void {
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
  const r9 = rowOf(9, map, offset)
  const first = stripOf(map, 0)
  const second = stripOf(map, 1)
  const last = (<usize>count + 2 * margin) << 2
  const w0 = all(tap0)
  const w1 = all(tap1)
  const w2 = all(tap2)
  const w3 = all(tap3)
  const w4 = all(tap4)
  for (let x: usize = 0; x < last; x += 16) {
    const v0 = v128.load(r0 + x)
    const v1 = v128.load(r1 + x)
    const v2 = v128.load(r2 + x)
    const v3 = v128.load(r3 + x)
    const v4 = v128.load(r4 + x)
    const v5 = v128.load(r5 + x)
    const v6 = v128.load(r6 + x)
    const v7 = v128.load(r7 + x)
    const v8 = v128.load(r8 + x)
    const v9 = v128.load(r9 + x)
    const upper = weigh(v4, f32x4.add(v3, v5), f32x4.add(v2, v6), f32x4.add(v1, v7), f32x4.add(v0, v8), w0, w1, w2, w3, w4)
    const lower = weigh(v5, f32x4.add(v4, v6), f32x4.add(v3, v7), f32x4.add(v2, v8), f32x4.add(v1, v9), w0, w1, w2, w3, w4)
    v128.store(first + x, upper)
    v128.store(second + x, lower)
  }
}

/** Eight columns a round, in place: what is read lies at or after what is written. */
function blurAlong(strip: usize, count: i32): void {
  const end = strip + (<usize>count << 2)
  const w0 = all(tap0)
  const w1 = all(tap1)
  const w2 = all(tap2)
  const w3 = all(tap3)
  const w4 = all(tap4)
  for (let at = strip; at < end; at += 32) {
    const v0 = v128.load(at)
    const v1 = v128.load(at, 4)
    const v2 = v128.load(at, 8)
    const v3 = v128.load(at, 12)
    const v4 = v128.load(at, 16)
    const v5 = v128.load(at, 20)
    const v6 = v128.load(at, 24)
    const v7 = v128.load(at, 28)
    const v8 = v128.load(at, 32)
    const v9 = v128.load(at, 36)
    const v10 = v128.load(at, 40)
    const v11 = v128.load(at, 44)
    const v12 = v128.load(at, 48)
    const left = weigh(v4, f32x4.add(v3, v5), f32x4.add(v2, v6), f32x4.add(v1, v7), f32x4.add(v0, v8), w0, w1, w2, w3, w4)
    const right = weigh(v8, f32x4.add(v7, v9), f32x4.add(v6, v10), f32x4.add(v5, v11), f32x4.add(v4, v12), w0, w1, w2, w3, w4)
    v128.store(at, left)
    v128.store(at, right, 16)
  }
}
