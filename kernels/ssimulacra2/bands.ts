/** A row of linear light becomes rows of bands: XYB, and from it what is to be blurred. */
import { all } from '../common/broadcast'
import { storePair } from '../common/pairs'
import { cubeRoot, meanCubeRoot } from './cube-root'
import { Band, LUMA_ALONE, Scale, margin, ringRows } from './layout'

const bias = memory.data<f32>([0.0037930732552754493])
/** Short-wave light from red, green and blue; long-wave; and what middle-wave light takes from red and gives to green. */
const shortRed = memory.data<f32>([0.24342268924547819])
const shortGreen = memory.data<f32>([0.20476744424496821])
const shortBlue = memory.data<f32>([0.5518098665095536])
const longRed = memory.data<f32>([0.3])
const longGreen = memory.data<f32>([0.622])
const longBlue = memory.data<f32>([0.078])
const moved = memory.data<f32>([0.07])
const halfMoved = memory.data<f32>([0.035])
const half = memory.data<f32>([0.5])
/** 14 / 2, and the shifts that make X, Y and B positive; Y's is 0.01 less the cube root of the bias. */
const seven = memory.data<f32>([7])
const shiftX = memory.data<f32>([0.42])
const shiftY = memory.data<f32>([-0.1459542005492486])
const shiftB = memory.data<f32>([0.55])

@inline
function mixLong(r: v128, g: v128, b: v128): v128 {
  const blue = f32x4.add(f32x4.mul(b, all(longBlue)), all(bias))
  return f32x4.add(f32x4.add(f32x4.mul(r, all(longRed)), f32x4.mul(g, all(longGreen))), blue)
}

@inline
function mixMiddle(long: v128, r: v128, g: v128): v128 {
  return f32x4.add(long, f32x4.mul(f32x4.sub(g, r), all(moved)))
}

@inline
function mixShort(r: v128, g: v128, b: v128): v128 {
  const blue = f32x4.add(f32x4.mul(b, all(shortBlue)), all(bias))
  return f32x4.add(f32x4.add(f32x4.mul(r, all(shortRed)), f32x4.mul(g, all(shortGreen))), blue)
}

/** Keeps eight columns of the reference: v and `next` in the plane, and them and their squares in the ring. */
@inline
function keepReference(band: Band, v: v128, next: v128, plane: usize, ring: usize, map: usize): void {
  const square = f32x4.mul(v, v)
  const squareNext = f32x4.mul(next, next)
  storePair(band.image + plane, v, next)
  storePair(band.referenceRing + ring, v, next)
  storePair(band.referenceRing + ring + map, square, squareNext)
}

/** Keeps the difference d, d² and v·d in the ring: from these follows all that the candidate changes, without cancellation. */
@inline
function keepCandidate(band: Band, w: v128, next: v128, plane: usize, ring: usize, map: usize): void {
  const v = v128.load(band.image + plane)
  const vNext = v128.load(band.image + plane, 16)
  const d = f32x4.sub(w, v)
  const dNext = f32x4.sub(next, vNext)
  storePair(band.candidateRing + ring, d, dNext)
  storePair(band.candidateRing + ring + map, f32x4.mul(d, d), f32x4.mul(dNext, dNext))
  storePair(band.candidateRing + ring + 2 * map, f32x4.mul(v, d), f32x4.mul(vNext, dNext))
}

@inline
function keep(isReference: bool, band: Band, v: v128, next: v128, plane: usize, ring: usize, map: usize): void {
  if (isReference) keepReference(band, v, next, plane, ring, map)
  else keepCandidate(band, v, next, plane, ring, map)
}

/** So far from its mean that a candidate's edge is as large. */
const FAR: f32 = 1e30

/**
 * Clears blurred columns right of the image up to the next eight, like the padding. The reference gets values there at which no
 * edge of a candidate counts.
 */
function clearTail(isReference: bool, scale: Scale, band: Band, plane: usize, ring: usize, map: usize): void {
  for (let at = <usize>scale.width << 2; at < scale.stride; at += 4) {
    if (isReference) {
      store<f32>(band.image + plane + at, FAR)
      store<f32>(band.referenceRing + ring + at, 0)
      store<f32>(band.referenceRing + ring + map + at, 0)
    } else {
      store<f32>(band.candidateRing + ring + at, 0)
      store<f32>(band.candidateRing + ring + map + at, 0)
      store<f32>(band.candidateRing + ring + 2 * map + at, 0)
    }
  }
}

// Four columns each, of rows of linear light; `k` is 0, or 16 for the four that follow.

@inline
function lumaAlone(red: usize, green: usize, blue: usize, k: usize): v128 {
  const r = v128.load(red + k)
  const g = v128.load(green + k)
  const apart = f32x4.mul(f32x4.sub(g, r), all(halfMoved))
  const luma = meanCubeRoot(f32x4.add(mixLong(r, g, v128.load(blue + k)), apart), apart)
  return f32x4.add(luma, all(shiftY))
}

@inline
function longOf(red: usize, green: usize, blue: usize, k: usize): v128 {
  return cubeRoot(mixLong(v128.load(red + k), v128.load(green + k), v128.load(blue + k)))
}

@inline
function middleOf(red: usize, green: usize, blue: usize, k: usize): v128 {
  const r = v128.load(red + k)
  const g = v128.load(green + k)
  return cubeRoot(mixMiddle(mixLong(r, g, v128.load(blue + k)), r, g))
}

@inline
function shortOf(red: usize, green: usize, blue: usize, k: usize): v128 {
  return cubeRoot(mixShort(v128.load(red + k), v128.load(green + k), v128.load(blue + k)))
}

@inline
function opponent(long: v128, middle: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.sub(long, middle), all(seven)), all(shiftX))
}

/** Eight columns a round: `stride` and the rows of linear light have room for whole rounds. */
@inline
function takeRow(isReference: bool, scale: Scale, linear: usize, y: i32): void {
  const map = <usize>ringRows * scale.pitch
  const mask = scale.mask
  const bandX = scale.bandX
  const bandY = scale.bandY
  const bandB = scale.bandB
  const reds = linear
  const greens = reds + scale.linearPitch
  const blues = greens + scale.linearPitch
  const firstOfPlane = <usize>(y % scale.capacity) * scale.stride
  const firstOfRing = <usize>(y % ringRows) * scale.pitch + 4 * margin
  const last = scale.stride
  for (let at: usize = 0; at < last; at += 32) {
    const red = reds + at
    const green = greens + at
    const blue = blues + at
    const plane = firstOfPlane + at
    const ring = firstOfRing + at
    // One cube root does for both kinds of cones.
    if (mask == LUMA_ALONE) {
      keep(isReference, bandY, lumaAlone(red, green, blue, 0), lumaAlone(red, green, blue, 16), plane, ring, map)
      continue
    }
    const long = longOf(red, green, blue, 0)
    const longNext = longOf(red, green, blue, 16)
    const middle = middleOf(red, green, blue, 0)
    const middleNext = middleOf(red, green, blue, 16)
    const luma = f32x4.mul(f32x4.add(long, middle), all(half))
    const lumaNext = f32x4.mul(f32x4.add(longNext, middleNext), all(half))
    if (mask & 2) {
      const v = f32x4.add(luma, all(shiftY))
      const next = f32x4.add(lumaNext, all(shiftY))
      keep(isReference, bandY, v, next, plane, ring, map)
    }
    if (mask & 1) {
      keep(isReference, bandX, opponent(long, middle), opponent(longNext, middleNext), plane, ring, map)
    }
    if (mask & 4) {
      const v = f32x4.add(f32x4.sub(shortOf(red, green, blue, 0), luma), all(shiftB))
      const next = f32x4.add(f32x4.sub(shortOf(red, green, blue, 16), lumaNext), all(shiftB))
      keep(isReference, bandB, v, next, plane, ring, map)
    }
  }
  if (mask & 1) clearTail(isReference, scale, bandX, firstOfPlane, firstOfRing, map)
  if (mask & 2) clearTail(isReference, scale, bandY, firstOfPlane, firstOfRing, map)
  if (mask & 4) clearTail(isReference, scale, bandB, firstOfPlane, firstOfRing, map)
}

export function takeReferenceRow(scale: Scale, linear: usize, y: i32): void {
  takeRow(true, scale, linear, y)
}

export function takeCandidateRow(scale: Scale, linear: usize, y: i32): void {
  takeRow(false, scale, linear, y)
}
