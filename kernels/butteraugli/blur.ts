/**
 * Separable Gaussians cut off at 2.25 sigma, whose weights are made up to 1 where taps lie beyond the image's edge: along
 * each row as it comes, then down the rows of a ring.
 */
import { all } from '../common/broadcast'
import { GROUP, Scale, ringRow, zeroRow } from './layout'

/** Filters, and how far each reaches. */
export const LOW_BLUR: i32 = 0
export const MIDDLE_BLUR: i32 = 1
export const FINE_BLUR: i32 = 2
export const ACTIVITY_BLUR: i32 = 3

/** Sigmas of the four filters, and of the one before the opsin's sensitivity. */
const sigmas = memory.data<f64>([7.15593339443, 3.22489901262, 1.56416327805, 2.7, 1.2])
const reaches = memory.data<i32>([16, 7, 3, 6, 2])
/** Normalised weights, centre outwards: 17 floats for each filter. */
const taps: usize = memory.data(5 * 68, 16)
/** Addresses of the rows (or columns) to the one side of the centre and to the other, nearest first. */
const before: usize = memory.data(17 * 4, 16)
const after: usize = memory.data(17 * 4, 16)

@inline
export function reachOf(filter: i32): i32 {
  return load<i32>(reaches + (<usize>filter << 2))
}

@inline
export function tapsOf(filter: i32): usize {
  return taps + <usize>filter * 68
}

export function fillTaps(): void {
  for (let filter = 0; filter < 5; filter++) {
    const sigma = load<f64>(sigmas + (<usize>filter << 3))
    const reach = reachOf(filter)
    let total: f64 = 1
    for (let i = 1; i <= reach; i++) total += 2 * weight(sigma, i)
    for (let i = 0; i <= reach; i++) store<f32>(tapsOf(filter) + (<usize>i << 2), <f32>(weight(sigma, i) / total))
  }
}

function weight(sigma: f64, i: i32): f64 {
  return Math.exp((-1.0 / (2.0 * sigma * sigma)) * <f64>(i * i))
}

/** What makes up for the taps that lie outside 0 .. size when the filter stands at a place. */
function factorAt(filter: i32, place: i32, size: i32): f32 {
  const reach = reachOf(filter)
  if (place >= reach && place + reach < size) return 1
  let total: f32 = 0
  for (let i = max(0, place - reach); i <= min(size - 1, place + reach); i++) {
    total += load<f32>(tapsOf(filter) + (<usize>abs(i - place) << 2))
  }
  return <f32>1 / total
}

@inline
function factorsOf(scale: Scale, filter: i32): usize {
  return scale.factors + <usize>filter * scale.stride
}

export function fillFactors(scale: Scale): void {
  for (let filter = 0; filter < 4; filter++) {
    const to = factorsOf(scale, filter)
    for (let x = 0; x < scale.width; x++) store<f32>(to + (<usize>x << 2), factorAt(filter, x, scale.width))
  }
}

/** Sums a centre row and weighed pairs beside it, 16 columns a round. */
function weigh(filter: i32, centre: usize, to: usize, bytes: usize, factor: f32): void {
  const last = tapsOf(filter) + (<usize>reachOf(filter) << 2)
  const scale = f32x4.splat(factor)
  for (let x: usize = 0; x < bytes; x += GROUP) {
    const middle = all(tapsOf(filter))
    const at = centre + x
    let a = f32x4.mul(v128.load(at), middle)
    let b = f32x4.mul(v128.load(at, 16), middle)
    let c = f32x4.mul(v128.load(at, 32), middle)
    let d = f32x4.mul(v128.load(at, 48), middle)
    let left = before
    let right = after
    for (let tap = tapsOf(filter) + 4; tap <= last; tap += 4) {
      const w = all(tap)
      const p = load<usize>(left) + x
      const q = load<usize>(right) + x
      a = f32x4.add(a, f32x4.mul(w, f32x4.add(v128.load(p), v128.load(q))))
      b = f32x4.add(b, f32x4.mul(w, f32x4.add(v128.load(p, 16), v128.load(q, 16))))
      c = f32x4.add(c, f32x4.mul(w, f32x4.add(v128.load(p, 32), v128.load(q, 32))))
      d = f32x4.add(d, f32x4.mul(w, f32x4.add(v128.load(p, 48), v128.load(q, 48))))
      left += 4
      right += 4
    }
    v128.store(to + x, f32x4.mul(a, scale))
    v128.store(to + x, f32x4.mul(b, scale), 16)
    v128.store(to + x, f32x4.mul(c, scale), 32)
    v128.store(to + x, f32x4.mul(d, scale), 48)
  }
}

@inline
function makeUp(factors: usize, to: usize, from: i32, until: i32): void {
  for (let x = <usize>from << 2; x < <usize>until << 2; x += 4) {
    store<f32>(to + x, load<f32>(to + x) * load<f32>(factors + x))
  }
}

/** Blurs a row, whose margins and tail are zero, along itself. */
export function blurAlong(scale: Scale, filter: i32, from: usize, to: usize): void {
  const reach = reachOf(filter)
  for (let i = 1; i <= reach; i++) {
    store<usize>(before + (<usize>(i - 1) << 2), from - (<usize>i << 2))
    store<usize>(after + (<usize>(i - 1) << 2), from + (<usize>i << 2))
  }
  weigh(filter, from, to, scale.stride, 1)
  const factors = factorsOf(scale, filter)
  const left = min(reach, scale.width)
  makeUp(factors, to, 0, left)
  makeUp(factors, to, max(left, scale.width - reach), scale.width)
}

/** Blurs a channel of a ring that holds all rows in reach of row y, and nothing but rows of the image, into one row. */
export function blurDown(scale: Scale, filter: i32, ring: usize, channel: i32, y: i32, to: usize): void {
  const reach = reachOf(filter)
  const rows = 2 * reach + 1
  for (let i = 1; i <= reach; i++) {
    const above = y - i < 0 ? zeroRow : ringRow(ring, rows, channel, y - i, scale.pitch)
    const below = y + i >= scale.height ? zeroRow : ringRow(ring, rows, channel, y + i, scale.pitch)
    store<usize>(before + (<usize>(i - 1) << 2), above)
    store<usize>(after + (<usize>(i - 1) << 2), below)
  }
  const centre = ringRow(ring, rows, channel, y, scale.pitch)
  weigh(filter, centre, to, scale.stride, factorAt(filter, y, scale.height))
}
