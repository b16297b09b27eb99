/**
 * Pixels that look like the given ones once their chroma has half the size (4:2:0). For each block of 2 x 2 px the kernel computes what decoders will
 * show without quantisation, and adds the difference: luminance to each pixel, the mean colour to the block. This is one step of what sharp-yuv
 * (libwebp) iterates, applied before the usual conversion instead of within it.
 */
import { alloc, mark, release } from '../common/memory'
import { blueness, enlarged, redness, samplesOf, sum } from './halve'
import { clipped, codeOf, fillTables, lightOf, lightOfSamples, luminance } from './light'

let input: usize = 0
let output: usize = 0
/** Three rows of U and V in turn. */
let chroma: usize = 0
let width: u32 = 0
let channels: u32 = 0
const start = mark()

/** Allocates memory for `rows` rows of interleaved samples. Returns false when there is not enough. */
export function configure(wide: u32, rows: u32, samples: u32): bool {
  fillTables()
  release(start)
  width = wide
  channels = samples
  const bytes = wide * rows * samples
  input = alloc(bytes)
  output = alloc(bytes)
  chroma = alloc(6 * planeBytes())
  return input != 0 && output != 0 && chroma != 0
}

export function inputAddress(): usize { return input }
export function outputAddress(): usize { return output }

@inline
function blocksAcross(): u32 { return (width + 1) >> 1 }

/** One row of U or V: a value more at both ends, and what a vector reads beyond. */
@inline
function planeBytes(): u32 { return (blocksAcross() + 6) << 2 }

@inline
function chromaRow(row: u32): usize { return chroma + <usize>((row % 3) * 2 * planeBytes()) }

@inline
function offsetRight(block: u32): usize { return (block << 1) + 1 < width ? <usize>channels : 0 }

@inline
function offsetBelow(row: u32, rows: u32): usize { return (row << 1) + 1 < rows ? <usize>(width * channels) : 0 }

function fillChroma(row: u32, rows: u32): void {
  const u = chromaRow(row)
  const v = u + planeBytes()
  const below = offsetBelow(row, rows)
  const blocks = blocksAcross()
  let at = input + <usize>(2 * row * width * channels)
  for (let block: u32 = 0; block < blocks; block++, at += 2 * channels) {
    const right = offsetRight(block)
    const red = sum(samplesOf(at, right, below))
    const green = sum(samplesOf(at + 1, right, below))
    const blue = sum(samplesOf(at + 2, right, below))
    const to = <usize>(block + 1) << 2
    store<f32>(u + to, blueness(red, green, blue))
    store<f32>(v + to, redness(red, green, blue))
  }
  const last = <usize>blocks << 2
  for (let plane = u; plane <= v; plane += planeBytes()) {
    store<f32>(plane, load<f32>(plane + 4))
    store<f32>(plane + last + 4, load<f32>(plane + last))
  }
}

/** Whether nothing of a block is transparent. Encoders weigh colours by alpha, so that other blocks are left as they are. */
@inline
function isOpaque(at: usize, right: usize, below: usize): bool {
  if (channels == 3) return true
  return (load<u8>(at + 3) & load<u8>(at + right + 3) & load<u8>(at + below + 3) & load<u8>(at + right + below + 3)) == 255
}

/** Stores a channel of a block, rounded. The last write wins where a block ends beyond the image. */
@inline
function put(at: usize, right: usize, below: usize, values: v128): void {
  const whole = i32x4.relaxed_trunc_f32x4_s(f32x4.add(clipped(values), f32x4.splat(0.5)))
  store<u8>(at + right + below, i32x4.extract_lane(whole, 3))
  store<u8>(at + below, i32x4.extract_lane(whole, 2))
  store<u8>(at + right, i32x4.extract_lane(whole, 1))
  store<u8>(at, i32x4.extract_lane(whole, 0))
}

/** Mean codes of a block's light, by channel. */
@inline
function meanOf(red: v128, green: v128, blue: v128): v128 {
  const sums = f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(sum(red)), 1, sum(green)), 2, sum(blue))
  return codeOf(f32x4.mul(sums, f32x4.splat(0.25)))
}

/** Whether four codes are shown within a code of what they are. */
@inline
function isNear(codes: v128, shown: v128): bool {
  return !v128.any_true(f32x4.gt(f32x4.abs(f32x4.sub(codes, shown)), f32x4.splat(1)))
}

function correctRow(row: u32, rows: u32): void {
  const halved = (rows + 1) >> 1
  const here = chromaRow(row)
  const above = chromaRow(row > 0 ? row - 1 : row)
  const under = chromaRow(row + 1 < halved ? row + 1 : row)
  const v = <usize>planeBytes()
  const below = offsetBelow(row, rows)
  const blocks = blocksAcross()
  const distance = output - input
  let at = input + <usize>(2 * row * width * channels)
  for (let block: u32 = 0; block < blocks; block++, at += 2 * channels) {
    const right = offsetRight(block)
    if (!isOpaque(at, right, below)) continue
    const from = <usize>block << 2
    const red = samplesOf(at, right, below)
    const green = samplesOf(at + 1, right, below)
    const blue = samplesOf(at + 2, right, below)
    const blueDiff = enlarged(above + from, here + from, under + from)
    const redDiff = enlarged(above + v + from, here + v + from, under + v + from)
    const luma = f32x4.add(
      f32x4.mul(red, f32x4.splat(0.29908)),
      f32x4.add(f32x4.mul(green, f32x4.splat(0.58716)), f32x4.mul(blue, f32x4.splat(0.11403))),
    )
    const redCode = f32x4.add(luma, f32x4.mul(redDiff, f32x4.splat(1.596)))
    const greenCode = f32x4.sub(luma, f32x4.add(f32x4.mul(redDiff, f32x4.splat(0.813)), f32x4.mul(blueDiff, f32x4.splat(0.391))))
    const blueCode = f32x4.add(luma, f32x4.mul(blueDiff, f32x4.splat(2.018)))
    if (isNear(red, redCode) && isNear(green, greenCode) && isNear(blue, blueCode)) continue
    const redShown = lightOf(redCode)
    const greenShown = lightOf(greenCode)
    const blueShown = lightOf(blueCode)
    const redLight = lightOfSamples(at, right, below)
    const greenLight = lightOfSamples(at + 1, right, below)
    const blueLight = lightOfSamples(at + 2, right, below)
    const darker = f32x4.sub(
      codeOf(luminance(redLight, greenLight, blueLight)),
      codeOf(luminance(redShown, greenShown, blueShown)),
    )
    const colour = f32x4.sub(meanOf(redLight, greenLight, blueLight), meanOf(redShown, greenShown, blueShown))
    const redMissing = f32x4.extract_lane(colour, 0)
    const greenMissing = f32x4.extract_lane(colour, 1)
    const blueMissing = f32x4.extract_lane(colour, 2)
    const grey = <f32>0.2126 * redMissing + <f32>0.7152 * greenMissing + <f32>0.0722 * blueMissing
    const to = at + distance
    put(to, right, below, f32x4.add(red, f32x4.add(darker, f32x4.splat(redMissing - grey))))
    put(to + 1, right, below, f32x4.add(green, f32x4.add(darker, f32x4.splat(greenMissing - grey))))
    put(to + 2, right, below, f32x4.add(blue, f32x4.add(darker, f32x4.splat(blueMissing - grey))))
  }
}

/** Corrects `rows` rows of the input; beyond the first and the last of them the image is taken to repeat. */
export function correct(rows: u32): void {
  const halved = (rows + 1) >> 1
  memory.copy(output, input, rows * width * channels)
  for (let row: u32 = 0; row < halved; row++) {
    if (row == 0) fillChroma(0, rows)
    if (row + 1 < halved) fillChroma(row + 1, rows)
    correctRow(row, rows)
  }
}
