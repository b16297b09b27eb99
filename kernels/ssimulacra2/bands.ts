/** A row of linear light becomes rows of bands: XYB, and from it what is to be blurred. */
import { all } from '../common/broadcast'
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

/** Keeps v in the plane, and v and v² in the ring. */
@inline
function keepReference(band: Band, v: v128, plane: usize, ring: usize, map: usize): void {
  v128.store(band.image + plane, v)
  v128.store(band.referenceRing + ring, v)
  v128.store(band.referenceRing + ring + map, f32x4.mul(v, v))
}

/** Keeps the difference d, d² and v·d in the ring: from these follows all that the candidate changes, without cancellation. */
@inline
function keepCandidate(band: Band, w: v128, plane: usize, ring: usize, map: usize): void {
  const v = v128.load(band.image + plane)
  const d = f32x4.sub(w, v)
  v128.store(band.candidateRing + ring, d)
  v128.store(band.candidateRing + ring + map, f32x4.mul(d, d))
  v128.store(band.candidateRing + ring + 2 * map, f32x4.mul(v, d))
}

@inline
function keep(isReference: bool, band: Band, v: v128, plane: usize, ring: usize, map: usize): void {
  if (isReference) keepReference(band, v, plane, ring, map)
  else keepCandidate(band, v, plane, ring, map)
}

/** What lies right of the image up to the next four columns is zero, as the padding is. */
function clearTail(isReference: bool, scale: Scale, band: Band, plane: usize, ring: usize, map: usize): void {
  for (let at = <usize>scale.width << 2; at < scale.stride; at += 4) {
    if (isReference) {
      store<f32>(band.image + plane + at, 0)
      store<f32>(band.referenceRing + ring + at, 0)
      store<f32>(band.referenceRing + ring + map + at, 0)
    } else {
      store<f32>(band.candidateRing + ring + at, 0)
      store<f32>(band.candidateRing + ring + map + at, 0)
      store<f32>(band.candidateRing + ring + 2 * map + at, 0)
    }
  }
}

@inline
function takeRow(isReference: bool, scale: Scale, linear: usize, y: i32): void {
  const map = <usize>ringRows * scale.pitch
  const mask = scale.mask
  const bandX = scale.bandX
  const bandY = scale.bandY
  const bandB = scale.bandB
  const green = linear + scale.linearPitch
  const blue = green + scale.linearPitch
  const plane = <usize>(y % scale.capacity) * scale.stride
  const ring = <usize>(y % ringRows) * scale.pitch + 4 * margin
  const last = scale.stride
  for (let at: usize = 0; at < last; at += 16) {
    const r = v128.load(linear + at)
    const g = v128.load(green + at)
    const b = v128.load(blue + at)
    const mixed = mixLong(r, g, b)
    // One cube root does for both kinds of cones.
    if (mask == LUMA_ALONE) {
      const apart = f32x4.mul(f32x4.sub(g, r), all(halfMoved))
      const luma = meanCubeRoot(f32x4.add(mixed, apart), apart)
      keep(isReference, bandY, f32x4.add(luma, all(shiftY)), plane + at, ring + at, map)
      continue
    }
    const long = cubeRoot(mixed)
    const middle = cubeRoot(mixMiddle(mixed, r, g))
    const luma = f32x4.mul(f32x4.add(long, middle), all(half))
    if (mask & 2) keep(isReference, bandY, f32x4.add(luma, all(shiftY)), plane + at, ring + at, map)
    if (mask & 1) {
      const v = f32x4.add(f32x4.mul(f32x4.sub(long, middle), all(seven)), all(shiftX))
      keep(isReference, bandX, v, plane + at, ring + at, map)
    }
    if (mask & 4) {
      const v = f32x4.add(f32x4.sub(cubeRoot(mixShort(r, g, b)), luma), all(shiftB))
      keep(isReference, bandB, v, plane + at, ring + at, map)
    }
  }
  if (mask & 1) clearTail(isReference, scale, bandX, plane, ring, map)
  if (mask & 2) clearTail(isReference, scale, bandY, plane, ring, map)
  if (mask & 4) clearTail(isReference, scale, bandB, plane, ring, map)
}

export function takeReferenceRow(scale: Scale, linear: usize, y: i32): void {
  takeRow(true, scale, linear, y)
}

export function takeCandidateRow(scale: Scale, linear: usize, y: i32): void {
  takeRow(false, scale, linear, y)
}
