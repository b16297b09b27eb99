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

@unmanaged class LostEnergy {
  blocks: usize
  columns: i32
  rows: i32
  pitch: usize
  steps: usize
  leftAtHalf: usize
  out: usize
}

/**
 * Sums of AC energy over `columns` x `rows` blocks whose rows lie `pitch` bytes apart. Writes six floats at `out`: all energy, the same weighted by
 * `leftAtHalf` (64 floats), the loss by the fine and by the coarse step, and both losses weighted by `leftAtHalf`.
 * `steps` holds for the fine, then the coarse step: the energy below which it loses all, and its loss above.
 */
export function lostEnergy(given: LostEnergy): void {
  let blocks = given.blocks
  let columns = given.columns
  let rows = given.rows
  let pitch = given.pitch
  let steps = given.steps
  let leftAtHalf = given.leftAtHalf
  let out = given.out
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
  store<f32>(out, total(all))
  store<f32>(out, total(half), 4)
  store<f32>(out, total(fine), 8)
  store<f32>(out, total(coarse), 12)
  store<f32>(out, total(halfFine), 16)
  store<f32>(out, total(halfCoarse), 20)
}
