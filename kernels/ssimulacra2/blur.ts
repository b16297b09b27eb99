/** The 9-tap separable Gaussian of sigma 1.5, zero-padded: down the rows of a ring into a short strip, then along the strip. */
import { all } from '../common/broadcast'
import { loadAlong, storePair } from '../common/pairs'
import { margin, ringRows, zeroRow } from './layout'

/** Weights, centre outwards. */
export const tap0 = memory.data<f32>([0.2646211055])
export const tap1 = memory.data<f32>([0.212928592])
export const tap2 = memory.data<f32>([0.109335372])
export const tap3 = memory.data<f32>([0.0360111147])
export const tap4 = memory.data<f32>([0.0094143678])

/** Columns blurred at a time, so that the strips stay in the first cache. */
export const stripColumns: i32 = 512
/** A strip with its margins, and room for what the last round of a loop writes too much: from one map's to the next. */
export const stripBytes: usize = 2176
/** Strips of up to three maps for two rows. */
const strips: usize = memory.data(6 * 2176, 16)

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

/** The weighted sum of a centre and of the pairs one to four steps from it. The weights are loaded before the loops: 7 % of a comparison. */
@inline
function weigh(
  centre: v128, one: v128, two: v128, three: v128, four: v128, w0: v128, w1: v128, w2: v128, w3: v128, w4: v128,
): v128 {
  const inner = f32x4.add(f32x4.mul(centre, w0), f32x4.mul(one, w1))
  const outer = f32x4.add(f32x4.mul(three, w3), f32x4.mul(four, w4))
  return f32x4.add(f32x4.add(inner, f32x4.mul(two, w2)), outer)
}

/** Blurs columns `from` .. `from + count` of the first maps of a ring, of both rows, down into the strips. Along them goes who uses what comes of it. */
export function blurDown(maps: usize, from: i32, count: i32): void {
  for (let map: usize = 0; map < maps; map++) blurMapDown(map, from, count)
}

/**
 * Two rows at once, which share eight of the nine rows that each reaches: what is read comes from the second cache. Eight columns a round,
 * the last of which reads to the end of a ring's row at most, whose length is a multiple of 32 bytes.
 */
function blurMapDown(map: usize, from: i32, count: i32): void {
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
  for (let x: usize = 0; x < last; x += 32) {
    const upper = down(r0 + x, r1 + x, r2 + x, r3 + x, r4 + x, r5 + x, r6 + x, r7 + x, r8 + x, 0, w0, w1, w2, w3, w4)
    const lower = down(r1 + x, r2 + x, r3 + x, r4 + x, r5 + x, r6 + x, r7 + x, r8 + x, r9 + x, 0, w0, w1, w2, w3, w4)
    const upperNext = down(r0 + x, r1 + x, r2 + x, r3 + x, r4 + x, r5 + x, r6 + x, r7 + x, r8 + x, 16, w0, w1, w2, w3, w4)
    const lowerNext = down(r1 + x, r2 + x, r3 + x, r4 + x, r5 + x, r6 + x, r7 + x, r8 + x, r9 + x, 16, w0, w1, w2, w3, w4)
    storePair(first + x, upper, upperNext)
    storePair(second + x, lower, lowerNext)
  }
}

/** Four columns of the rows at p0 .. p8, weighed; `k` is 0, or 16 for the four that follow. */
@inline
function down(
  p0: usize, p1: usize, p2: usize, p3: usize, p4: usize, p5: usize, p6: usize, p7: usize, p8: usize, k: usize,
  w0: v128, w1: v128, w2: v128, w3: v128, w4: v128,
): v128 {
  const one = f32x4.add(v128.load(p3 + k), v128.load(p5 + k))
  const two = f32x4.add(v128.load(p2 + k), v128.load(p6 + k))
  const three = f32x4.add(v128.load(p1 + k), v128.load(p7 + k))
  const four = f32x4.add(v128.load(p0 + k), v128.load(p8 + k))
  return weigh(v128.load(p4 + k), one, two, three, four, w0, w1, w2, w3, w4)
}

/**
 * Four columns blurred along a strip, where their nine taps begin at `at`: what comes of it may be put there. Two of the vectors are put together of others: to load
 * them too took 2 % longer. `k` is 0, or 16 for the four columns that follow.
 */
@inline
export function along(at: usize, k: usize, w0: v128, w1: v128, w2: v128, w3: v128, w4: v128): v128 {
  const other = at - 16
  const v2 = loadAlong(at, other, 8, k)
  const v4 = loadAlong(at, other, 16, k)
  const v6 = loadAlong(at, other, 24, k)
  const v8 = loadAlong(at, other, 32, k)
  const v3 = v128.shuffle<f32>(v2, v4, 1, 2, 5, 6)
  const v7 = v128.shuffle<f32>(v6, v8, 1, 2, 5, 6)
  const one = f32x4.add(v3, loadAlong(at, other, 20, k))
  const two = f32x4.add(v2, v6)
  const three = f32x4.add(loadAlong(at, other, 4, k), v7)
  const four = f32x4.add(loadAlong(at, other, 0, k), v8)
  return weigh(v4, one, two, three, four, w0, w1, w2, w3, w4)
}
