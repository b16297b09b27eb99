// From the component planes to RGB as libjpeg shows them: "fancy" upsampling (3/4 of the near sample, 1/4 of the next)
// and its integer colour conversion, both exactly.

// @ts-ignore: decorator
@inline function pair(a: i16, b: i16): v128 { return i16x8(a, b, a, b, a, b, a, b) }
// @ts-ignore: decorator
@inline function low(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11) }
// @ts-ignore: decorator
@inline function high(a: v128, b: v128): v128 { return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15) }

/** (a * fa + b * fb + 32768) >> 16 in eight lanes. */
// @ts-ignore: decorator
@inline function scaled(a: v128, b: v128, factors: v128, half: v128): v128 {
  const l = i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(low(a, b), factors), half), 16)
  const h = i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(high(a, b), factors), half), 16)
  return i16x8.narrow_i32x4_s(l, h)
}

/** One row of `width` pixels; writes up to 45 bytes beyond it. 1.402 = 1 + 26345/65536, 1.772 = 2 - 14942/65536, and so on. */
function colourRow(y: usize, cb: usize, cr: usize, to: usize, width: i32): void {
  const half = i32x4.splat(32768)
  const zero = i16x8.splat(0)
  const shift = i16x8.splat(128)
  for (let x = 0; x < width; x += 16, y += 16, cb += 16, cr += 16, to += 48) {
    let r = zero
    let g = zero
    let b = zero
    for (let i: usize = 0; i < 16; i += 8) {
      const luma = v128.load8x8_u(y + i)
      const blue = i16x8.sub(v128.load8x8_u(cb + i), shift)
      const red = i16x8.sub(v128.load8x8_u(cr + i), shift)
      const r8 = i16x8.add(i16x8.add(luma, red), scaled(red, zero, pair(26345, 0), half))
      const g8 = i16x8.add(i16x8.sub(luma, red), scaled(blue, red, pair(-22554, 18734), half))
      const b8 = i16x8.add(i16x8.add(luma, i16x8.add(blue, blue)), scaled(blue, zero, pair(-14942, 0), half))
      const r1 = i8x16.narrow_i16x8_u(r8, r8)
      const g1 = i8x16.narrow_i16x8_u(g8, g8)
      const b1 = i8x16.narrow_i16x8_u(b8, b8)
      if (i == 0) {
        r = r1
        g = g1
        b = b1
      } else {
        r = v128.shuffle<i64>(r, r1, 0, 2)
        g = v128.shuffle<i64>(g, g1, 0, 2)
        b = v128.shuffle<i64>(b, b1, 0, 2)
      }
    }
    const a0 = v128.shuffle<i8>(r, g, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5)
    const a1 = v128.shuffle<i8>(r, g, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26)
    const a2 = v128.shuffle<i8>(r, g, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0)
    v128.store(to, v128.shuffle<i8>(a0, b, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15))
    v128.store(to, v128.shuffle<i8>(a1, b, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15), 16)
    v128.store(to, v128.shuffle<i8>(a2, b, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31), 32)
  }
}

/** Sums of a chroma row and its neighbour, 3:1, as 16 bits with one repeated at either end; `sums` has room for wide + 18. */
function columnSums(near: usize, next: usize, wide: i32, sums: usize): void {
  const three = i16x8.splat(3)
  for (let x = 0; x < wide; x += 8) {
    const s = i16x8.add(i16x8.mul(v128.load8x8_u(near + <usize>x), three), v128.load8x8_u(next + <usize>x))
    v128.store(sums + <usize>(x + 1) * 2, s)
  }
  store<i16>(sums, load<i16>(sums + 2))
  store<i16>(sums + <usize>(wide + 1) * 2, load<i16>(sums + <usize>wide * 2))
}

/** Twice as many samples as `wide`: each sum is four times a sample (`bits` 4), or the sample itself times one (`bits` 2). */
function spread(sums: usize, wide: i32, to: usize, bits: i32, left: i16, right: i16): void {
  const three = i16x8.splat(3)
  for (let x = 0; x < wide; x += 8) {
    const mid = i16x8.mul(v128.load(sums + <usize>(x + 1) * 2), three)
    const l = i16x8.shr_u(i16x8.add(i16x8.add(mid, v128.load(sums + <usize>x * 2)), i16x8.splat(left)), bits)
    const r = i16x8.shr_u(i16x8.add(i16x8.add(mid, v128.load(sums + <usize>(x + 2) * 2)), i16x8.splat(right)), bits)
    v128.store(to + <usize>x * 2, v128.or(l, i16x8.shl(r, 8)))
  }
}

/** Each sample twice: what libjpeg does where a row has fewer than three. */
function double(from: usize, wide: i32, to: usize): void {
  for (let x = 0; x < wide; x++) store<u16>(to + <usize>x * 2, <u16>load<u8>(from + <usize>x) * 257)
}

/** One row of chroma at full width: row `y` of the picture, from a plane of `high` rows of `wide` samples, `step` bytes apart. */
function chromaRow(plane: usize, step: usize, wide: i32, high: i32, h: i32, v: i32, y: i32, sums: usize, to: usize): usize {
  const row = v == 2 ? y >> 1 : y
  const near = plane + <usize>row * step
  if (h == 1) return near
  if (wide < 3) {
    double(near, wide, to)
    return to
  }
  if (v == 1) {
    for (let x = 0; x < wide; x += 8) v128.store(sums + <usize>(x + 1) * 2, v128.load8x8_u(near + <usize>x))
    store<i16>(sums, load<i16>(sums + 2))
    store<i16>(sums + <usize>(wide + 1) * 2, load<i16>(sums + <usize>wide * 2))
    spread(sums, wide, to, 2, 1, 2)
    return to
  }
  const other = max(0, min(high - 1, y & 1 ? row + 1 : row - 1))
  columnSums(near, plane + <usize>other * step, wide, sums)
  spread(sums, wide, to, 4, 8, 7)
  return to
}

/**
 * RGB of `width` x `height` pixels at `to` (which has 48 bytes of slack behind). Planes: luma with rows `yStep` bytes
 * apart, chroma `cStep`, of which `wide` x `high` samples show, subsampled `h` x `v` (1 or 2; 1x2 is not done).
 * `room`: 8 * wide + 256 bytes.
 */
export function show(
  y: usize, yStep: usize, cb: usize, cr: usize, cStep: usize, wide: i32, high: i32, h: i32, v: i32,
  width: i32, height: i32, to: usize, room: usize,
): void {
  const sums = room
  const blue = room + <usize>((wide + 32) * 2)
  const red = blue + <usize>((wide + 16) * 2)
  for (let row = 0; row < height; row++) {
    const b = chromaRow(cb, cStep, wide, high, h, v, row, sums, blue)
    const r = chromaRow(cr, cStep, wide, high, h, v, row, sums, red)
    colourRow(y + <usize>row * yStep, b, r, to + <usize>(row * width) * 3, width)
  }
}

/** Grey: the luma rows without their padding. */
export function showGrey(y: usize, yStep: usize, width: i32, height: i32, to: usize): void {
  for (let row = 0; row < height; row++) memory.copy(to + <usize>(row * width), y + <usize>row * yStep, width)
}
