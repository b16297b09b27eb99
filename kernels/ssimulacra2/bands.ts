/** A row of linear light becomes rows of bands: XYB, and from it what is to be blurred. */
import { bias, biasRoot, cubeRoot } from './colour'
import { Band, Scale, margin, tall } from './layout'

@inline
function mixLong(r: v128, g: v128, b: v128): v128 {
  const red = f32x4.mul(r, f32x4.splat(0.3))
  const green = f32x4.mul(g, f32x4.splat(0.622))
  const blue = f32x4.add(f32x4.mul(b, f32x4.splat(0.078)), f32x4.splat(bias))
  return f32x4.add(f32x4.add(red, green), blue)
}

/** Red 0.23 for 0.30 and green 0.692 for 0.622: 0.07 of the difference moves over. */
@inline
function mixMiddle(long: v128, r: v128, g: v128): v128 {
  return f32x4.add(long, f32x4.mul(f32x4.sub(g, r), f32x4.splat(0.07)))
}

@inline
function mixShort(r: v128, g: v128, b: v128): v128 {
  const red = f32x4.mul(r, f32x4.splat(0.24342268924547819))
  const green = f32x4.mul(g, f32x4.splat(0.20476744424496821))
  const blue = f32x4.add(f32x4.mul(b, f32x4.splat(0.5518098665095536)), f32x4.splat(bias))
  return f32x4.add(f32x4.add(red, green), blue)
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

/** Lanes of the row's last vector that lie inside the image. */
@inline
export function lanesInside(left: i32): v128 {
  return i32x4.gt_s(i32x4.splat(left), i32x4(0, 1, 2, 3))
}

@inline
function takeRow(isReference: bool, scale: Scale, linear: usize, y: i32): void {
  const map = <usize>tall * scale.pitch
  const mask = scale.mask
  const green = linear + scale.linearPitch
  const blue = green + scale.linearPitch
  const plane = <usize>(y % scale.capacity) * scale.stride
  const ring = <usize>(y % tall) * scale.pitch + 4 * margin
  for (let x = 0; x < scale.width; x += 4) {
    const at = <usize>x << 2
    const inside = lanesInside(scale.width - x)
    const r = v128.load(linear + at)
    const g = v128.load(green + at)
    const b = v128.load(blue + at)
    const mixed = mixLong(r, g, b)
    const long = cubeRoot(mixed)
    const middle = cubeRoot(mixMiddle(mixed, r, g))
    const luma = f32x4.mul(f32x4.add(long, middle), f32x4.splat(0.5))
    if (mask & 2) {
      const v = f32x4.add(luma, f32x4.splat(0.01 - biasRoot))
      keep(isReference, scale.bandY, v128.and(v, inside), plane + at, ring + at, map)
    }
    if (mask & 1) {
      const v = f32x4.add(f32x4.mul(f32x4.sub(long, middle), f32x4.splat(7)), f32x4.splat(0.42))
      keep(isReference, scale.bandX, v128.and(v, inside), plane + at, ring + at, map)
    }
    if (mask & 4) {
      const v = f32x4.add(f32x4.sub(cubeRoot(mixShort(r, g, b)), luma), f32x4.splat(0.55))
      keep(isReference, scale.bandB, v128.and(v, inside), plane + at, ring + at, map)
    }
  }
}

export function takeReferenceRow(scale: Scale, linear: usize, y: i32): void {
  takeRow(true, scale, linear, y)
}

export function takeCandidateRow(scale: Scale, linear: usize, y: i32): void {
  takeRow(false, scale, linear, y)
}
