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
  for (let step = 0; step < 1; step++) {
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
let darkest: f32 = 0
let brightest: f32 = 0
/** Four pixels whose lumas differ by less than this keep their light without being fitted. */
const FLAT: f32 = 8
/** A pixel whose chroma is spread to within this of its own keeps its luma. */
const NEAR: f32 = 1

// @ts-ignore: decorator
@inline function gather(p: usize, i: i32, slot: usize): void {
  const r = sample(p, i)
  const g = sample(p, i + 1)
  const b = sample(p, i + 2)
  const luma = r * 0.299 + g * 0.587 + b * 0.114
  store<f32>(LUMA + slot, luma)
  darkest = min(darkest, luma)
  brightest = max(brightest, luma)
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
      darkest = 255
      brightest = 0
      gather(top, i, 0)
      gather(top, j, 4)
      gather(low, i, 8)
      gather(low, j, 12)
      const blue = (sumB * 0.5 - sumR * 0.168735892 - sumG * 0.331264108) * 0.25
      const red = (sumR * 0.5 - sumG * 0.418687589 - sumB * 0.081312411) * 0.25
      const plain = alone || brightest - darkest < FLAT
      store<f32>(b + <usize>x * 4, plain ? blue : fitLight(blue, 1.772, lightB))
      store<f32>(r + <usize>x * 4, plain ? red : fitLight(red, 1.402, lightR))
    }
    repeatEdge(b, wide, padded)
    repeatEdge(r, wide, padded)
  }
  repeatRow(cb, high, paddedHigh, padded)
  repeatRow(cr, high, paddedHigh, padded)
}

/** A row of chroma blended with its neighbour 3:1, as decoders do down the picture. */
function blendRows(plane: usize, padded: i32, high: i32, v: i32, y: i32, to: usize): void {
  const near = v == 2 ? y >> 1 : y
  const next = v == 2 ? max(0, min(high - 1, y & 1 ? near + 1 : near - 1)) : near
  const a = plane + <usize>(near * padded) * 4
  const b = plane + <usize>(next * padded) * 4
  for (let i: usize = 0; i < <usize>padded * 4; i += 16) {
    const sum = f32x4.add(f32x4.mul(v128.load(a + i), f32x4.splat(0.75)), f32x4.mul(v128.load(b + i), f32x4.splat(0.25)))
    v128.store(to + i, sum)
  }
}

/** Moves each luma so that the pixel's luminance is the source's although its chroma is spread from fewer samples. */
export function fitLuma(
  from: usize, channels: i32, width: i32, height: i32, h: i32, v: i32,
  cb: usize, cr: usize, padded: i32, plane: usize, lumaPadded: i32, lumaPaddedHigh: i32, most: f32, room: usize,
): void {
  const wide = (width + h - 1) / h
  const high = (height + v - 1) / v
  let p = from
  for (let y = 0; y < height; y++) {
    const row = plane + <usize>(y * lumaPadded) * 4
    const blues = room
    const reds = room + <usize>padded * 4
    blendRows(cb, padded, high, v, y, blues)
    blendRows(cr, padded, high, v, y, reds)
    for (let x = 0; x < width; x++, p += channels) {
      const near = <usize>(h == 2 ? x >> 1 : x) * 4
      const next = h == 2 ? <usize>max(0, min(wide - 1, x & 1 ? (x >> 1) + 1 : (x >> 1) - 1)) * 4 : near
      const blue = load<f32>(blues + near) * 0.75 + load<f32>(blues + next) * 0.25
      const red = load<f32>(reds + near) * 0.75 + load<f32>(reds + next) * 0.25
      const at = row + <usize>x * 4
      const start = load<f32>(at) + 128
      const r0 = sample(p, 0)
      const b0 = sample(p, 2)
      if (abs(b0 - start - 1.772 * blue) < NEAR * 1.772 && abs(r0 - start - 1.402 * red) < NEAR * 1.402) continue
      const wanted = codeLight(r0) * 0.3 + codeLight(sample(p, 1)) * 0.622 + codeLight(b0) * 0.078
      let luma = start
      for (let step = 0; step < 1; step++) {
        const r = quarter(luma + 1.402 * red)
        const g = quarter(luma - 0.344136 * blue - 0.714136 * red)
        const b = quarter(luma + 1.772 * blue)
        const light = load<f32>(LIGHT + r) * 0.3 + load<f32>(LIGHT + g) * 0.622 + load<f32>(LIGHT + b) * 0.078
        const slope = load<f32>(SLOPE + r) * 0.3 + load<f32>(SLOPE + g) * 0.622 + load<f32>(SLOPE + b) * 0.078
        luma -= (light - wanted) / (slope + 0.0001)
      }
      store<f32>(at, max<f32>(0, min<f32>(255, max(start - most, min(start + most, luma)))) - 128)
    }
    repeatEdge(row, width, lumaPadded)
  }
  repeatRow(plane, height, lumaPaddedHigh, lumaPadded)
}

/** Mean light of red, green and blue in each 8x8 block, densely row by row to `out`; blocks over the edge count the pixels they have. */
export function blockLight(from: usize, channels: i32, width: i32, height: i32, out: usize): void {
  fillLight()
  const green: i32 = channels < 3 ? 0 : 1
  const wide = (width + 7) >> 3
  for (let y0 = 0; y0 < height; y0 += 8) {
    const rows = min(8, height - y0)
    memory.fill(out, 0, <usize>wide * 12)
    for (let y = y0; y < y0 + rows; y++) {
      let p = from + <usize>(y * width) * channels
      for (let i = 0; i < wide; i++) {
        const end = min(8, width - i * 8)
        let r: f32 = 0
        let g: f32 = 0
        let b: f32 = 0
        for (let x = 0; x < end; x++, p += channels) {
          r += codeLight(sample(p, 0))
          g += codeLight(sample(p, green))
          b += codeLight(sample(p, green * 2))
        }
        const at = out + <usize>i * 12
        const share: f32 = <f32>1 / <f32>(end * rows)
        store<f32>(at, load<f32>(at) + r * share)
        store<f32>(at, load<f32>(at, 4) + g * share, 4)
        store<f32>(at, load<f32>(at, 8) + b * share, 8)
      }
    }
    out += <usize>wide * 12
  }
}
