/** Masking: where the reference is busy, errors are seen less. Its activity is blurred, and eroded so that smooth places beside busy ones stay smooth. */
import { all } from '../common/broadcast'
import { ACTIVITY_BLUR, blurAlong, blurDown } from './blur'
import {
  ACTIVITY, ACTIVITY_ROWS, DETAIL_ROWS, MARGIN, MASK, Scale, Side, TONE_ROWS, clearTail, planeRow, ringRow, scratchRow,
} from './layout'

const weightX = memory.data<f32>([2.5])
const weightY = memory.data<f32>([0.4])
/** The root of an activity bends like this: sqrt(scale a + bias) - sqrt(bias). */
const bendScale = memory.data<f32>([6.19424080439])
const bendBias = memory.data<f32>([6.19424080439 * 12.61050594197])
const bendShift = memory.data<f32>([8.838128222070164])
const activityWeight = memory.data<f32>([10.0])

/** The three smallest of nine samples three pixels apart count so much. */
const leastWeight = memory.data<f32>([0.45])
const secondWeight = memory.data<f32>([0.3])
const thirdWeight = memory.data<f32>([0.25])
const STEP: i32 = 3
/** Stands for samples outside the image: never among the smallest. */
const NOTHING: f32 = 1e30

/** Sensitivity to detail and to tone under a mask m: (scale (1 + gain / (slope m + offset)))². */
const scale = memory.data<f32>([1.0 / (17.8 * 0.79079917404)])
const detailGain = memory.data<f32>([2.5485944793])
const detailSlope = memory.data<f32>([0.451936922203])
const detailOffset = memory.data<f32>([0.829591754942])
const toneGain = memory.data<f32>([0.505054525019])
const toneSlope = memory.data<f32>([3.87449418804])
const toneOffset = memory.data<f32>([0.20025578522])
const one = memory.data<f32>([1])

/** Activity of row y from its bands in the scratch rows (high X, Y, finest X, Y), blurred along. */
export function takeActivity(scale: Scale, side: Side, y: i32): void {
  const to = scratchRow(0)
  for (let x: usize = 0; x < scale.stride; x += 16) {
    const a = f32x4.mul(f32x4.add(v128.load(to + x), v128.load(scratchRow(2) + x)), all(weightX))
    const b = f32x4.mul(f32x4.add(v128.load(scratchRow(1) + x), v128.load(scratchRow(3) + x)), all(weightY))
    const size = f32x4.sqrt(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)))
    const bent = f32x4.sqrt(f32x4.add(f32x4.mul(size, all(bendScale)), all(bendBias)))
    v128.store(to + x, f32x4.sub(bent, all(bendShift)))
  }
  clearTail(scale, to)
  blurAlong(scale, ACTIVITY_BLUR, to, ringRow(side.activity, ACTIVITY_ROWS, 0, y, scale.pitch))
}

/** Row y of the blurred activity: the reference's is kept, the candidate's difference to it is an error. */
export function settleActivity(scale: Scale, side: Side, y: i32): void {
  if (side.isReference) {
    blurDown(scale, ACTIVITY_BLUR, side.activity, 0, y, planeRow(scale, ACTIVITY, y))
    return
  }
  const is = scratchRow(0)
  blurDown(scale, ACTIVITY_BLUR, side.activity, 0, y, is)
  const was = planeRow(scale, ACTIVITY, y)
  const to = ringRow(scale.detail, DETAIL_ROWS, 0, y, scale.pitch)
  for (let x: usize = 0; x < scale.stride; x += 16) {
    const d = f32x4.sub(v128.load(was + x), v128.load(is + x))
    v128.store(to + x, f32x4.add(v128.load(to + x), f32x4.mul(f32x4.mul(d, d), all(activityWeight))))
  }
}

/** Copies row y of the reference's activity, with nothing on either side; all nothing outside the image. */
function lay(scale: Scale, y: i32, to: usize): void {
  const inside = y >= 0 && y < scale.height
  if (inside) memory.copy(to, planeRow(scale, ACTIVITY, y), <usize>scale.width << 2)
  const from: usize = inside ? <usize>scale.width << 2 : 0
  for (let x = from; x < scale.stride + MARGIN; x += 4) store<f32>(to + x, NOTHING)
  for (let x: usize = 4; x <= <usize>STEP << 2; x += 4) store<f32>(to - x, NOTHING)
}

/** The mask of row y: the weighed three smallest activities at the pixel (whose double may stand in) and around it. */
export function settleMask(scale: Scale, y: i32): void {
  const above = scratchRow(4)
  const own = scratchRow(5)
  const below = scratchRow(6)
  lay(scale, y - STEP, above)
  lay(scale, y, own)
  lay(scale, y + STEP, below)
  const to = planeRow(scale, MASK, y)
  for (let x: usize = 0; x < scale.stride; x += 16) {
    const centre = v128.load(own + x)
    let least = centre
    let second = f32x4.add(centre, centre)
    let third = second
    for (let k = 0; k < 9; k++) {
      if (k == 4) continue
      const row = k < 3 ? above : k < 6 ? own : below
      const v = v128.load(row + x + <usize>(((k % 3) - 1) * STEP * 4))
      const more = f32x4.pmax(least, v)
      least = f32x4.pmin(least, v)
      const most = f32x4.pmax(second, more)
      second = f32x4.pmin(second, more)
      third = f32x4.pmin(third, most)
    }
    const sum = f32x4.add(f32x4.mul(least, all(leastWeight)), f32x4.mul(second, all(secondWeight)))
    v128.store(to + x, f32x4.add(sum, f32x4.mul(third, all(thirdWeight))))
  }
}

@inline
function sensitivity(mask: v128, gain: usize, slope: usize, offset: usize): v128 {
  const share = f32x4.div(all(gain), f32x4.add(f32x4.mul(mask, all(slope)), all(offset)))
  const root = f32x4.mul(f32x4.add(share, all(one)), all(scale))
  return f32x4.mul(root, root)
}

/** Distances of row y, from its squared errors under the mask. */
export function settleDistances(image: Scale, y: i32, to: usize): void {
  const mask = planeRow(image, MASK, y)
  const tone = ringRow(image.tone, TONE_ROWS, 0, y, image.pitch)
  const detail = ringRow(image.detail, DETAIL_ROWS, 0, y, image.pitch)
  for (let x: usize = 0; x < image.stride; x += 16) {
    const m = v128.load(mask + x)
    const toneError = f32x4.mul(v128.load(tone + x), sensitivity(m, toneGain, toneSlope, toneOffset))
    const detailError = f32x4.mul(v128.load(detail + x), sensitivity(m, detailGain, detailSlope, detailOffset))
    v128.store(to + x, f32x4.sqrt(f32x4.add(toneError, detailError)))
  }
}
