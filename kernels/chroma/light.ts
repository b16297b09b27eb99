/** sRGB codes (0..255) to light and back, four at a time. */
import { toLinear } from '../common/linear-light'

/** Steps of a code in the table of light: an error of 1/32 of a code. */
const FINE: i32 = 16
/** Steps of light in the table of codes, which is interpolated. */
const STEPS: i32 = 4096
const lights: usize = memory.data(4081 * 4, 16)
const codes: usize = memory.data(4098 * 4, 16)
let isFilled: bool = false

function toCode(light: f64): f32 {
  return <f32>(255.0 * (light <= 0.0031308 ? 12.92 * light : 1.055 * Math.pow(light, 1 / 2.4) - 0.055))
}

export function fillTables(): void {
  if (isFilled) return
  for (let i = 0; i <= 255 * FINE; i++) store<f32>(lights + ((<usize>i) << 2), toLinear(<f64>i / (255.0 * FINE)))
  for (let i = 0; i <= STEPS + 1; i++) store<f32>(codes + ((<usize>i) << 2), toCode(Math.min(1.0, <f64>i / STEPS)))
  isFilled = true
}

/** The values of a table at four places. */
@inline
function gather(table: usize, at: v128): v128 {
  const first = v128.load32_zero(table + ((<usize>i32x4.extract_lane(at, 0)) << 2))
  const second = v128.load_lane<u32>(table + ((<usize>i32x4.extract_lane(at, 1)) << 2), first, 1)
  const third = v128.load_lane<u32>(table + ((<usize>i32x4.extract_lane(at, 2)) << 2), second, 2)
  return v128.load_lane<u32>(table + ((<usize>i32x4.extract_lane(at, 3)) << 2), third, 3)
}

/** Codes that lie beyond 0..255 are clipped, as decoders do. Each is one instruction, where `min` and `max` heed NaN. */
@inline
export function clipped(code: v128): v128 {
  return f32x4.pmin(f32x4.pmax(code, f32x4.splat(0)), f32x4.splat(255))
}

@inline
export function lightOf(code: v128): v128 {
  return gather(lights, i32x4.relaxed_trunc_f32x4_s(f32x4.add(f32x4.mul(clipped(code), f32x4.splat(<f32>FINE)), f32x4.splat(0.5))))
}

/** Light of four samples in the order of `samplesOf`. */
@inline
export function lightOfSamples(at: usize, right: usize, below: usize): v128 {
  const first = v128.load32_zero(lightOfSample(at))
  const upper = v128.load_lane<u32>(lightOfSample(at + right), first, 1)
  const three = v128.load_lane<u32>(lightOfSample(at + below), upper, 2)
  return v128.load_lane<u32>(lightOfSample(at + right + below), three, 3)
}

/** Where the table has the light of a sample. */
@inline
function lightOfSample(at: usize): usize {
  return lights + ((<usize>load<u8>(at) * FINE) << 2)
}

@inline
export function codeOf(light: v128): v128 {
  const at = f32x4.mul(light, f32x4.splat(<f32>STEPS))
  const step = i32x4.relaxed_trunc_f32x4_s(at)
  const low = gather(codes, step)
  const rise = f32x4.sub(gather(codes + 4, step), low)
  return f32x4.add(low, f32x4.mul(rise, f32x4.sub(at, f32x4.convert_i32x4_s(step))))
}

/** Luminance of linear red, green and blue (Rec. 709). */
@inline
export function luminance(red: v128, green: v128, blue: v128): v128 {
  const most = f32x4.add(f32x4.mul(red, f32x4.splat(0.2126)), f32x4.mul(green, f32x4.splat(0.7152)))
  return f32x4.add(most, f32x4.mul(blue, f32x4.splat(0.0722)))
}
