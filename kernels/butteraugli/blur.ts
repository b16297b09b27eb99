/**
 * Separable Gaussians cut off at 2.25 sigma, whose weights are made up to 1 where taps lie beyond the image's edge: along
 * each row as it comes, then down the rows of a ring.
 */
import { all } from '../common/broadcast'
import { loadAlong, storePair } from '../common/pairs'
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

/** Factor that compensates for the taps outside 0 .. size. */
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

/** Weighted sum of a centre row and of pairs of rows around it, 16 columns a round. */
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
    storePair(to + x, f32x4.mul(a, scale), f32x4.mul(b, scale))
    storePair(to + x + 32, f32x4.mul(c, scale), f32x4.mul(d, scale))
  }
}

@inline
function makeUp(factors: usize, to: usize, from: i32, until: i32): void {
  for (let x = <usize>from << 2; x < <usize>until << 2; x += 4) {
    store<f32>(to + x, load<f32>(to + x) * load<f32>(factors + x))
  }
}

/** The two places `i` columns off a centre, weighed. Bytes from the first tap: those of the centre, `middle`. */
@inline
function pairAlong(filter: i32, i: usize, at: usize, other: usize, middle: usize, k: usize): v128 {
  const sum = f32x4.add(loadAlong(at, other, middle - (i << 2), k), loadAlong(at, other, middle + (i << 2), k))
  return f32x4.mul(sum, all(tapsOf(filter) + (i << 2)))
}

/** Four columns blurred by a centre and three taps on either side; the first tap of all lies at `at`. */
@inline
function nearAlong(filter: i32, at: usize, other: usize, middle: usize, k: usize): v128 {
  const own = f32x4.mul(loadAlong(at, other, middle, k), all(tapsOf(filter)))
  const near = f32x4.add(own, pairAlong(filter, 1, at, other, middle, k))
  return f32x4.add(near, f32x4.add(pairAlong(filter, 2, at, other, middle, k), pairAlong(filter, 3, at, other, middle, k)))
}

/** The same of the next three taps. */
@inline
function farAlong(filter: i32, at: usize, other: usize, middle: usize, k: usize): v128 {
  const far = f32x4.add(pairAlong(filter, 4, at, other, middle, k), pairAlong(filter, 5, at, other, middle, k))
  return f32x4.add(far, pairAlong(filter, 6, at, other, middle, k))
}

/** The row blurred by seven taps: addresses that differ by a constant are parts of the instructions. */
function alongSeven(from: usize, to: usize, bytes: usize): void {
  const first = from - 12
  const other = first - 16
  for (let x: usize = 0; x < bytes; x += 32) {
    storePair(to + x, nearAlong(FINE_BLUR, first + x, other + x, 12, 0), nearAlong(FINE_BLUR, first + x, other + x, 12, 16))
  }
}

/** Four columns blurred by thirteen taps. */
@inline
function fourByThirteen(at: usize, other: usize, k: usize): v128 {
  return f32x4.add(nearAlong(ACTIVITY_BLUR, at, other, 24, k), farAlong(ACTIVITY_BLUR, at, other, 24, k))
}

function alongThirteen(from: usize, to: usize, bytes: usize): void {
  const first = from - 24
  const other = first - 16
  for (let x: usize = 0; x < bytes; x += 32) {
    storePair(to + x, fourByThirteen(first + x, other + x, 0), fourByThirteen(first + x, other + x, 16))
  }
}

/** The row blurred by what small images alone need. */
function alongAny(filter: i32, from: usize, to: usize, bytes: usize): void {
  for (let i = 1; i <= reachOf(filter); i++) {
    store<usize>(before + (<usize>(i - 1) << 2), from - (<usize>i << 2))
    store<usize>(after + (<usize>(i - 1) << 2), from + (<usize>i << 2))
  }
  weigh(filter, from, to, bytes, 1)
}

/** Blurs a row, whose margins and tail are zero, along itself. */
export function blurAlong(scale: Scale, filter: i32, from: usize, to: usize): void {
  const reach = reachOf(filter)
  if (filter == FINE_BLUR) alongSeven(from, to, scale.stride)
  else if (filter == ACTIVITY_BLUR) alongThirteen(from, to, scale.stride)
  else alongAny(filter, from, to, scale.stride)
  const factors = factorsOf(scale, filter)
  const left = min(reach, scale.width)
  makeUp(factors, to, 0, left)
  makeUp(factors, to, max(left, scale.width - reach), scale.width)
}

/** Four columns of the `i`th rows above and below the centre, weighed; `x` is their place in a row. */
@inline
function pairAt(filter: i32, i: usize, x: usize, k: usize): v128 {
  const above = load<usize>(before + ((i - 1) << 2)) + x
  const below = load<usize>(after + ((i - 1) << 2)) + x
  return f32x4.mul(f32x4.add(v128.load(above + k), v128.load(below + k)), all(tapsOf(filter) + (i << 2)))
}

/** Four columns of a centre row and of the three rows on either side. */
@inline
function nearRows(filter: i32, centre: usize, x: usize, k: usize): v128 {
  const own = f32x4.mul(v128.load(centre + x + k), all(tapsOf(filter)))
  const near = f32x4.add(own, pairAt(filter, 1, x, k))
  return f32x4.add(near, f32x4.add(pairAt(filter, 2, x, k), pairAt(filter, 3, x, k)))
}

/** The same of the next three. */
@inline
function farRows(filter: i32, x: usize, k: usize): v128 {
  return f32x4.add(pairAt(filter, 4, x, k), f32x4.add(pairAt(filter, 5, x, k), pairAt(filter, 6, x, k)))
}

/** Blurs the rows at `before` and `after` by thirteen taps. */
function downThirteen(centre: usize, to: usize, bytes: usize, factor: f32): void {
  const scale = f32x4.splat(factor)
  for (let x: usize = 0; x < bytes; x += 32) {
    const lower = f32x4.add(nearRows(ACTIVITY_BLUR, centre, x, 0), farRows(ACTIVITY_BLUR, x, 0))
    const upper = f32x4.add(nearRows(ACTIVITY_BLUR, centre, x, 16), farRows(ACTIVITY_BLUR, x, 16))
    storePair(to + x, f32x4.mul(lower, scale), f32x4.mul(upper, scale))
  }
}

/** Makes ready for blurring row y of a channel down: finds the rows in reach, of a ring that holds them and nothing but rows of the image. The one in the middle. */
function aim(scale: Scale, filter: i32, ring: usize, channel: i32, y: i32): usize {
  const reach = reachOf(filter)
  const rows = 2 * reach + 1
  for (let i = 1; i <= reach; i++) {
    const above = y - i < 0 ? zeroRow : ringRow(ring, rows, channel, y - i, scale.pitch)
    const below = y + i >= scale.height ? zeroRow : ringRow(ring, rows, channel, y + i, scale.pitch)
    store<usize>(before + (<usize>(i - 1) << 2), above)
    store<usize>(after + (<usize>(i - 1) << 2), below)
  }
  return ringRow(ring, rows, channel, y, scale.pitch)
}

/** Blurs row y of a channel of a ring down, into one row. */
export function blurDown(scale: Scale, filter: i32, ring: usize, channel: i32, y: i32, to: usize): void {
  const centre = aim(scale, filter, ring, channel, y)
  const factor = factorAt(filter, y, scale.height)
  if (filter == ACTIVITY_BLUR) downThirteen(centre, to, scale.stride, factor)
  else weigh(filter, centre, to, scale.stride, factor)
}

/** The same by seven taps for a loop that goes on with what it gets: `aimSeven`, then `downSeven` of each four columns (x + k) times the factor. */
export function aimSeven(scale: Scale, ring: usize, channel: i32, y: i32): usize {
  return aim(scale, FINE_BLUR, ring, channel, y)
}

export function factorOfSeven(scale: Scale, y: i32): f32 {
  return factorAt(FINE_BLUR, y, scale.height)
}

@inline
export function downSeven(centre: usize, x: usize, k: usize): v128 {
  return nearRows(FINE_BLUR, centre, x, k)
}
