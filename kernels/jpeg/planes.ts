// RGB(A) or grey samples to float planes: Y at full size, Cb and Cr at 1:1 or averaged over 2x1 or 2x2 pixels.
// The sums are JFIF's (BT.601, full range), levels shifted to be about zero. Planes are padded by repeating the edge.

// @ts-ignore: decorator
@inline function sample(p: usize, i: i32): f32 { return <f32>load<u8>(p + <usize>i) }

function repeatEdge(row: usize, width: i32, padded: i32): void {
  const last = load<f32>(row + <usize>(width - 1) * 4)
  for (let x = width; x < padded; x++) store<f32>(row + <usize>x * 4, last)
}

function repeatRow(plane: usize, height: i32, paddedHigh: i32, padded: i32): void {
  const last = plane + <usize>((height - 1) * padded) * 4
  for (let y = height; y < paddedHigh; y++) memory.copy(plane + <usize>(y * padded) * 4, last, <usize>padded * 4)
}

/** Fills `plane` (padded x paddedHigh floats) with luma - 128 of the `width` x `height` pixels of `channels` bytes at `from`. */
export function lumaPlane(from: usize, channels: i32, width: i32, height: i32, plane: usize, padded: i32, paddedHigh: i32): void {
  let p = from
  for (let y = 0; y < height; y++) {
    const row = plane + <usize>(y * padded) * 4
    for (let x = 0; x < width; x++, p += channels) {
      const v = channels < 3 ? sample(p, 0) : sample(p, 0) * 0.299 + sample(p, 1) * 0.587 + sample(p, 2) * 0.114
      store<f32>(row + <usize>x * 4, v - 128)
    }
    repeatEdge(row, width, padded)
  }
  repeatRow(plane, height, paddedHigh, padded)
}

/** Light by sRGB code value in quarters (0..1020), and its slope by code value; filled once. */
const LIGHT = memory.data(1024 * 4, 16)
const SLOPE = memory.data(1024 * 4, 16)
let lit: bool = false

function fillLight(): void {
  if (lit) return
  lit = true
  for (let i = 0; i < 1024; i++) {
    const v: f64 = <f64>i / 1020
    const light = v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)
    const slope = v <= 0.04045 ? 1 / 12.92 : (2.4 / 1.055) * Math.pow((v + 0.055) / 1.055, 1.4)
    store<f32>(LIGHT + <usize>i * 4, <f32>light)
    store<f32>(SLOPE + <usize>i * 4, <f32>(slope / 255))
  }
}

// @ts-ignore: decorator
@inline function quarter(v: f32): usize { return <usize>max(0, min(1020, <i32>(v * 4 + 0.5))) * 4 }

const LUMA = memory.data(16, 16)

/**
 * The chroma difference that gives four pixels of the given lumas together as much light in one primary as `wanted`, where
 * a pixel's code value is its luma + `gain` * the difference: averages of code values lose light at edges.
 */
function fitLight(start: f32, gain: f32, wanted: f32): f32 {
  let chroma = start
  for (let step = 0; step < 2; step++) {
    let light: f32 = 0
    let slope: f32 = 0
    for (let i: usize = 0; i < 16; i += 4) {
      const q = quarter(load<f32>(LUMA + i) + gain * chroma)
      light += load<f32>(LIGHT + q)
      slope += load<f32>(SLOPE + q)
    }
    chroma -= (light - wanted) / (slope * gain + 0.0001)
  }
  return max(start - 24, min(start + 24, chroma))
}

// @ts-ignore: decorator
@inline function codeLight(v: f32): f32 { return load<f32>(LIGHT + <usize>v * 16) }

let lightR: f32 = 0
let lightB: f32 = 0
let sumR: f32 = 0
let sumG: f32 = 0
let sumB: f32 = 0

// @ts-ignore: decorator
@inline function gather(p: usize, i: i32, slot: usize): void {
  const r = sample(p, i)
  const g = sample(p, i + 1)
  const b = sample(p, i + 2)
  store<f32>(LUMA + slot, r * 0.299 + g * 0.587 + b * 0.114)
  lightR += codeLight(r)
  lightB += codeLight(b)
  sumR += r
  sumG += g
  sumB += b
}

/** Fills the two planes with Cb and Cr of `h` x `v` (1 or 2) pixels each, so chosen that their light is kept. */
export function chromaPlanes(
  from: usize, channels: i32, width: i32, height: i32, h: i32, v: i32, cb: usize, cr: usize, padded: i32, paddedHigh: i32,
): void {
  fillLight()
  const wide = (width + h - 1) / h
  const high = (height + v - 1) / v
  const alone = h == 1 && v == 1
  for (let y = 0; y < high; y++) {
    const top = from + <usize>(min(y * v, height - 1) * width) * channels
    const low = from + <usize>(min(y * v + v - 1, height - 1) * width) * channels
    const b = cb + <usize>(y * padded) * 4
    const r = cr + <usize>(y * padded) * 4
    for (let x = 0; x < wide; x++) {
      const i = x * h * channels
      const j = min(x * h + h - 1, width - 1) * channels
      lightR = 0
      lightB = 0
      sumR = 0
      sumG = 0
      sumB = 0
      gather(top, i, 0)
      gather(top, j, 4)
      gather(low, i, 8)
      gather(low, j, 12)
      const blue = (sumB * 0.5 - sumR * 0.168735892 - sumG * 0.331264108) * 0.25
      const red = (sumR * 0.5 - sumG * 0.418687589 - sumB * 0.081312411) * 0.25
      store<f32>(b + <usize>x * 4, alone ? blue : fitLight(blue, 1.772, lightB))
      store<f32>(r + <usize>x * 4, alone ? red : fitLight(red, 1.402, lightR))
    }
    repeatEdge(b, wide, padded)
    repeatEdge(r, wide, padded)
  }
  repeatRow(cb, high, paddedHigh, padded)
  repeatRow(cr, high, paddedHigh, padded)
}
