// Planes to pixels: chroma is upsampled by 3/4 and 1/4 of the two nearest samples, edges repeated; YCbCr becomes RGB; samples are rounded.

const CR_TO_RED: f32 = 1.402
const CB_TO_BLUE: f32 = 1.772
const CB_TO_GREEN: f32 = -0.114 * 1.772 / 0.587
const CR_TO_GREEN: f32 = -0.299 * 1.402 / 0.587

// @ts-ignore: decorator
@inline function sample(value: f32): u8 { return <u8>min<f32>(255, max<f32>(0, value + 128.5)) }

/** Four samples, the first in the lowest byte; saturated. */
// @ts-ignore: decorator
@inline function samples(values: v128): v128 {
  return i32x4.trunc_sat_f32x4_u(f32x4.min(f32x4.splat(255), f32x4.add(values, f32x4.splat(128.5))))
}

/** The row `y` of a chroma plane of `wide` x `high` samples at the frame's full size, `width` floats at `to`; `scratch` holds `wide` floats. */
function upsample(plane: usize, pitch: i32, wide: i32, high: i32, h: i32, v: i32, y: i32, to: usize, scratch: usize): void {
  let from = plane + <usize>((v == 2 ? y >> 1 : y) * pitch) * 4
  const into = h == 2 ? scratch : to
  if (v == 2) {
    const other = min(high - 1, max(0, (y >> 1) + (y & 1 ? 1 : -1)))
    const second = plane + <usize>(other * pitch) * 4
    // Rows are padded to whole blocks.
    for (let x = 0; x < wide; x += 4) {
      const at = <usize>x * 4
      const near = f32x4.mul(v128.load(from + at), f32x4.splat(0.75))
      v128.store(into + at, f32x4.add(near, f32x4.mul(v128.load(second + at), f32x4.splat(0.25))))
    }
    from = into
  }
  if (h != 2) {
    if (v != 2) memory.copy(to, from, <usize>wide * 4)
    return
  }
  let x = 1
  for (; x + 4 < wide; x += 4) {
    const at = from + <usize>x * 4
    const here = f32x4.mul(v128.load(at), f32x4.splat(0.75))
    const left = f32x4.add(here, f32x4.mul(v128.load(at - 4), f32x4.splat(0.25)))
    const right = f32x4.add(here, f32x4.mul(v128.load(at, 4), f32x4.splat(0.25)))
    const pair = to + <usize>x * 8
    v128.store(pair, v128.shuffle<f32>(left, right, 0, 4, 1, 5))
    v128.store(pair, v128.shuffle<f32>(left, right, 2, 6, 3, 7), 16)
  }
  upsampleFew(from, to, 0, 1, wide)
  upsampleFew(from, to, x, wide, wide)
}

/** Samples from `x` to `end` of a row of `wide`, doubled. */
function upsampleFew(from: usize, to: usize, x: i32, end: i32, wide: i32): void {
  for (; x < end; x++) {
    const here = load<f32>(from + <usize>x * 4) * 0.75
    const before = load<f32>(from + <usize>max(0, x - 1) * 4)
    const after = load<f32>(from + <usize>min(wide - 1, x + 1) * 4)
    store<f32>(to + <usize>x * 8, here + before * 0.25)
    store<f32>(to + <usize>x * 8, here + after * 0.25, 4)
  }
}

@unmanaged class JoinColour {
  luma: usize
  cb: usize
  cr: usize
  yPitch: i32
  cPitch: i32
  h: i32
  v: i32
  width: i32
  height: i32
  out: usize
  scratch: usize
}

/**
 * Joins planes (rows of `yPitch` and `cPitch` floats) to RGB at `out`, `width` x `height`; chroma is halved across where `h` is 2, and down where `v` is.
 * `scratch` holds three rows of `width` + 16 floats; `out` has 16 bytes to spare.
 */
export function joinColour(given: JoinColour): void {
  let luma = given.luma
  let cb = given.cb
  let cr = given.cr
  let yPitch = given.yPitch
  let cPitch = given.cPitch
  let h = given.h
  let v = given.v
  let width = given.width
  let height = given.height
  let out = given.out
  let scratch = given.scratch
  const wide = (width + h - 1) / h
  const high = (height + v - 1) / v
  const line = <usize>(width + 16) * 4
  const blue = scratch
  const red = scratch + line
  const half = scratch + 2 * line
  for (let y = 0; y < height; y++) {
    upsample(cb, cPitch, wide, high, h, v, y, blue, half)
    upsample(cr, cPitch, wide, high, h, v, y, red, half)
    const row = luma + <usize>(y * yPitch) * 4
    let x = 0
    for (; x + 4 < width; x += 4) {
      const at = <usize>x * 4
      const light = v128.load(row + at)
      const b = v128.load(blue + at)
      const r = v128.load(red + at)
      const reds = samples(f32x4.add(light, f32x4.mul(f32x4.splat(CR_TO_RED), r)))
      const greens = samples(
        f32x4.add(light, f32x4.add(f32x4.mul(f32x4.splat(CB_TO_GREEN), b), f32x4.mul(f32x4.splat(CR_TO_GREEN), r))),
      )
      const blues = samples(f32x4.add(light, f32x4.mul(f32x4.splat(CB_TO_BLUE), b)))
      // Each pixel in a word of its own, then the words put together.
      const pixels = v128.or(v128.or(reds, i32x4.shl(greens, 8)), i32x4.shl(blues, 16))
      v128.store(out, i8x16.swizzle(pixels, i8x16(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1)))
      out += 12
    }
    for (; x < width; x++) {
      const at = <usize>x * 4
      const light = load<f32>(row + at)
      const b = load<f32>(blue + at)
      const r = load<f32>(red + at)
      store<u8>(out, sample(light + CR_TO_RED * r))
      store<u8>(out, sample(light + CB_TO_GREEN * b + CR_TO_GREEN * r), 1)
      store<u8>(out, sample(light + CB_TO_BLUE * b), 2)
      out += 3
    }
  }
}

/** The same of luma alone, one sample a pixel. */
export function joinGrey(luma: usize, pitch: i32, width: i32, height: i32, out: usize): void {
  for (let y = 0; y < height; y++) {
    const row = luma + <usize>(y * pitch) * 4
    for (let x = 0; x < width; x++) store<u8>(out++, sample(load<f32>(row + <usize>x * 4)))
  }
}
