// Dequantisation and inverse DCT as JPEG XL defines them (ISO/IEC 18181-1, annex I): in floating point, and with HF coefficients drawn towards zero.

/** A coefficient of n is shown as n - DRAWN / n, where n is not 1 or -1: the usual bias of the format. */
const DRAWN: f32 = 0.145

const C1: f32 = 0.98078528040323
const C2: f32 = 0.92387953251129
const C3: f32 = 0.83146961230255
const C4: f32 = 0.70710678118655
const C5: f32 = 0.55557023301960
const C6: f32 = 0.38268343236509
const C7: f32 = 0.19509032201613

/** Raster index in a transposed block by place in zigzag order. */
const TRANSPOSED: StaticArray<u8> = [
  0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, 33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,
  28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62,
  55, 63,
]

// @ts-ignore: decorator
@inline function times(a: v128, by: f32): v128 { return f32x4.mul(a, f32x4.splat(by)) }

/** Eight samples of four columns from `from` to `to`, 32 bytes a row; a DC of 1 becomes .7071 here, and the whole is twice too large. */
// @ts-ignore: decorator
@inline function columns(from: usize, to: usize, pitch: usize): void {
  const x0 = v128.load(from)
  const x1 = v128.load(from, 32)
  const x2 = v128.load(from, 64)
  const x3 = v128.load(from, 96)
  const x4 = v128.load(from, 128)
  const x5 = v128.load(from, 160)
  const x6 = v128.load(from, 192)
  const x7 = v128.load(from, 224)
  const sum = times(f32x4.add(x0, x4), C4)
  const difference = times(f32x4.sub(x0, x4), C4)
  const low = f32x4.add(times(x2, C2), times(x6, C6))
  const high = f32x4.sub(times(x2, C6), times(x6, C2))
  const e0 = f32x4.add(sum, low)
  const e3 = f32x4.sub(sum, low)
  const e1 = f32x4.add(difference, high)
  const e2 = f32x4.sub(difference, high)
  const o0 = f32x4.add(f32x4.add(times(x1, C1), times(x3, C3)), f32x4.add(times(x5, C5), times(x7, C7)))
  const o1 = f32x4.sub(f32x4.sub(times(x1, C3), times(x3, C7)), f32x4.add(times(x5, C1), times(x7, C5)))
  const o2 = f32x4.add(f32x4.sub(times(x1, C5), times(x3, C1)), f32x4.add(times(x5, C7), times(x7, C3)))
  const o3 = f32x4.add(f32x4.sub(times(x1, C7), times(x3, C5)), f32x4.sub(times(x5, C3), times(x7, C1)))
  v128.store(to, f32x4.add(e0, o0))
  v128.store(to + pitch, f32x4.add(e1, o1))
  v128.store(to + 2 * pitch, f32x4.add(e2, o2))
  v128.store(to + 3 * pitch, f32x4.add(e3, o3))
  v128.store(to + 4 * pitch, f32x4.sub(e3, o3))
  v128.store(to + 5 * pitch, f32x4.sub(e2, o2))
  v128.store(to + 6 * pitch, f32x4.sub(e1, o1))
  v128.store(to + 7 * pitch, f32x4.sub(e0, o0))
}

/** Swaps rows and columns of four rows of four floats each. */
// @ts-ignore: decorator
@inline function transposeFour(from: usize, to: usize): void {
  const a = v128.load(from)
  const b = v128.load(from, 32)
  const c = v128.load(from, 64)
  const d = v128.load(from, 96)
  const abLow = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
  const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
  const cdLow = v128.shuffle<f32>(c, d, 0, 4, 1, 5)
  const cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7)
  v128.store(to, v128.shuffle<f32>(abLow, cdLow, 0, 1, 4, 5))
  v128.store(to, v128.shuffle<f32>(abLow, cdLow, 2, 3, 6, 7), 32)
  v128.store(to, v128.shuffle<f32>(abHigh, cdHigh, 0, 1, 4, 5), 64)
  v128.store(to, v128.shuffle<f32>(abHigh, cdHigh, 2, 3, 6, 7), 96)
}

/** Writes the block at `from` with rows and columns swapped to `to`. */
// @ts-ignore: decorator
@inline function transpose(from: usize, to: usize): void {
  transposeFour(from, to)
  transposeFour(from + 16, to + 128)
  transposeFour(from + 128, to + 16)
  transposeFour(from + 144, to + 144)
}

/** Dequantises eight coefficients from place `k` in zigzag order; those that are zero are left. */
// @ts-ignore: decorator
@inline function dequantiseEight(coefs: usize, steps: usize, one: f32, block: usize, k: usize): void {
  for (const end = k + 8; k < end; k++) {
    const value = <i32>load<i16>(coefs + 2 * k)
    if (value == 0) continue
    const n = <f32>value
    const shown: f32 = value == 1 ? one : value == -1 ? -one : n - DRAWN / n
    store<f32>(block + 4 * <usize>unchecked(TRANSPOSED[<i32>k]), shown * load<f32>(steps + 4 * k))
  }
}

/** Dequantises a block of i16 in zigzag order at `coefs` to the transposed block; `steps` are 64 floats in zigzag order. */
// @ts-ignore: decorator
@inline function dequantise(coefs: usize, steps: usize, one: f32, block: usize): void {
  memory.fill(block, 0, 256)
  for (let k: usize = 0; k < 64; k += 8)
    if (v128.any_true(v128.load(coefs + 2 * k))) dequantiseEight(coefs, steps, one, block, k)
  store<f32>(block, <f32>load<i16>(coefs) * load<f32>(steps))
}

/** Whether all HF coefficients of a block are zero. */
// @ts-ignore: decorator
@inline function isFlat(coefs: usize): bool {
  let any = i16x8.replace_lane(v128.load(coefs), 0, 0)
  for (let k: usize = 16; k < 128; k += 16) any = v128.or(any, v128.load(coefs + k))
  return !v128.any_true(any)
}

/** Fills 8 x 8 samples with what `columns` makes of the LF coefficient twice. */
// @ts-ignore: decorator
@inline function fillFlat(lf: f32, to: usize, row: usize): void {
  const value = f32x4.splat(lf * C4 * C4)
  for (let y = 0; y < 8; y++, to += row) {
    v128.store(to, value)
    v128.store(to, value, 16)
  }
}

@unmanaged class Inverse {
  coefs: usize
  stride: i32
  wide: i32
  high: i32
  steps: usize
  one: f32
  plane: usize
  pitch: i32
  block: usize
}

/**
 * The samples of a component, floats of 0 to 255 less 128, `pitch` a row at `plane`: `wide` x `high` blocks of rows of `stride`. `steps` are a quarter of the
 * quantisation steps; 1 is shown as `one`. `block` holds 128 floats.
 */
export function inverse(given: Inverse): void {
  let coefs = given.coefs
  let stride = given.stride
  let wide = given.wide
  let high = given.high
  let steps = given.steps
  let one = given.one
  let plane = given.plane
  let pitch = given.pitch
  let block = given.block
  const row = <usize>pitch * 4
  const swapped = block + 256
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const from = coefs + <usize>(y * stride + x) * 128
      const to = plane + <usize>y * 8 * row + <usize>x * 32
      if (isFlat(from)) {
        fillFlat(<f32>load<i16>(from) * load<f32>(steps), to, row)
        continue
      }
      dequantise(from, steps, one, block)
      columns(block, block, 32)
      columns(block + 16, block + 16, 32)
      transpose(block, swapped)
      columns(swapped, to, row)
      columns(swapped + 16, to + 16, row)
    }
  }
}
