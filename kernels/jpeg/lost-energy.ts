// Energy that coarse steps would remove from areas of luma. It predicts scores before quantisation.

// @ts-ignore: decorator
@inline function total(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

// @ts-ignore: decorator
@inline function lossOf(energy: v128, below: v128, above: v128): v128 {
  return v128.bitselect(energy, above, f32x4.lt(energy, below))
}

/** The sums of one area: all energy, the loss by the fine and by the coarse step, and the same at half the size. */
let allEnergy: f32 = 0
let fineLoss: f32 = 0
let coarseLoss: f32 = 0
let halfEnergy: f32 = 0
let halfFineLoss: f32 = 0
let halfCoarseLoss: f32 = 0

/** Sums up the AC energy of `columns` x `rows` blocks whose rows lie `pitch` bytes apart. */
function sumArea(blocks: usize, columns: i32, rows: i32, pitch: usize, steps: usize, leftAtHalf: usize): void {
  const fineBelow = v128.load_splat<f32>(steps)
  const fineAbove = v128.load_splat<f32>(steps, 4)
  const coarseBelow = v128.load_splat<f32>(steps, 8)
  const coarseAbove = v128.load_splat<f32>(steps, 12)
  const zero = f32x4.splat(0)
  let all = zero
  let half = zero
  let fine = zero
  let coarse = zero
  let halfFine = zero
  let halfCoarse = zero
  for (let row = 0; row < rows; row++) {
    const first = blocks + <usize>row * pitch
    for (let block = first; block < first + <usize>columns * 256; block += 256) {
      // DC is no texture.
      const dc = load<f32>(block)
      store<f32>(block, 0)
      for (let k: usize = 0; k < 256; k += 16) {
        const value = v128.load(block + k)
        const left = v128.load(leftAtHalf + k)
        const energy = f32x4.mul(value, value)
        const lossFine = lossOf(energy, fineBelow, fineAbove)
        const lossCoarse = lossOf(energy, coarseBelow, coarseAbove)
        all = f32x4.add(all, energy)
        half = f32x4.add(half, f32x4.mul(energy, left))
        fine = f32x4.add(fine, lossFine)
        coarse = f32x4.add(coarse, lossCoarse)
        halfFine = f32x4.add(halfFine, f32x4.mul(lossFine, left))
        halfCoarse = f32x4.add(halfCoarse, f32x4.mul(lossCoarse, left))
      }
      store<f32>(block, dc)
    }
  }
  allEnergy = total(all)
  halfEnergy = total(half)
  fineLoss = total(fine)
  coarseLoss = total(coarse)
  halfFineLoss = total(halfFine)
  halfCoarseLoss = total(halfCoarse)
}

@unmanaged class Areas {
  blocks: usize
  widthInBlocks: i32
  heightInBlocks: i32
  stride: i32
  steps: usize
  leftAtHalf: usize
  out: usize
  step: f64
  constant: f64
  dark: f64
}

/**
 * Sums lost energy over variance of sampled areas of 2 x 2 blocks, one in `step`. Writes five doubles at `out`: loss by the fine and the coarse step,
 * the same two at half size, and the number of areas whose mean is below `dark`. Returns the number of sampled areas.
 * `steps` holds for the fine, then the coarse step: the energy below which it loses all, and its loss above. `leftAtHalf` holds the share of energy
 * that is left of 64 coefficients at half the size, `constant` what is added to the variance of each sample.
 */
export function areaLosses(given: Areas): i32 {
  const widthInBlocks = given.widthInBlocks
  const heightInBlocks = given.heightInBlocks
  const out = given.out
  const across = (widthInBlocks + 1) >> 1
  const all = across * ((heightInBlocks + 1) >> 1)
  const pitch = <usize>given.stride << 8
  let areas = 0
  let darkOnes: f64 = 0
  memory.fill(out, 0, 40)
  for (let i = given.step / 2; i < <f64>all; i += given.step) {
    const at = <i32>i
    const x = 2 * (at % across)
    const y = 2 * (at / across)
    const columns = min(2, widthInBlocks - x)
    const rows = min(2, heightInBlocks - y)
    const blocks = given.blocks + <usize>y * pitch + (<usize>x << 8)
    sumArea(blocks, columns, rows, pitch, given.steps, given.leftAtHalf)
    let sum: f64 = 0
    let squares: f64 = 0
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const mean = <f64>load<f32>(blocks + <usize>row * pitch + (<usize>column << 8)) / 8
        sum += mean
        squares += mean * mean
      }
    }
    const count = <f64>(rows * columns)
    const between = 64 * (squares - (sum * sum) / count)
    const full = 2 * (<f64>allEnergy + between) + given.constant * 64 * count
    const half = 2 * (<f64>halfEnergy + between) + given.constant * 64 * count
    store<f64>(out, load<f64>(out) + <f64>fineLoss / full)
    store<f64>(out, load<f64>(out, 8) + <f64>coarseLoss / full, 8)
    store<f64>(out, load<f64>(out, 16) + <f64>halfFineLoss / half, 16)
    store<f64>(out, load<f64>(out, 24) + <f64>halfCoarseLoss / half, 24)
    if (sum / count + 128 < given.dark) darkOnes++
    areas++
  }
  store<f64>(out, darkOnes, 32)
  return areas
}
