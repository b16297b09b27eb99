/** Chroma of half the size (BT.601, limited range): the mean of 2 x 2 px, and the filter that decoders enlarge it with. */

/** Four samples in the order of reading. `right` and `below` are 0 where the image ends: the block then repeats its last samples. */
@inline
export function samplesOf(at: usize, right: usize, below: usize): v128 {
  const first = i32x4.splat(load<u8>(at))
  const upper = i32x4.replace_lane(first, 1, load<u8>(at + right))
  const three = i32x4.replace_lane(upper, 2, load<u8>(at + below))
  return f32x4.convert_i32x4_s(i32x4.replace_lane(three, 3, load<u8>(at + right + below)))
}

@inline
export function sum(four: v128): f32 {
  return f32x4.extract_lane(four, 0) + f32x4.extract_lane(four, 1) + f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3)
}

/** Divides the sum of four codes, and of the filter's sixteenths. */
const UNIT: f32 = 1 / 64

/** U of a block by the sums of its codes. */
@inline
export function blueness(red: f32, green: f32, blue: f32): f32 {
  return (<f32>0.43945 * blue - <f32>0.29116 * green - <f32>0.1483 * red) * UNIT
}

/** V of a block by the sums of its codes. */
@inline
export function redness(red: f32, green: f32, blue: f32): f32 {
  return (<f32>0.43945 * red - <f32>0.36798 * green - <f32>0.07147 * blue) * UNIT
}

/** Chroma of the four pixels of a block from the values of three rows, each address that of the block's left neighbour: 9, 3, 3 and 1 sixteenths. */
@inline
export function enlarged(above: usize, here: usize, below: usize): v128 {
  const a = v128.load(above)
  const h = v128.load(here)
  const b = v128.load(below)
  const beside = v128.shuffle<f32>(h, h, 0, 2, 0, 2)
  const over = v128.shuffle<f32>(a, b, 1, 1, 5, 5)
  const diagonal = v128.shuffle<f32>(a, b, 0, 2, 4, 6)
  const near = f32x4.mul(v128.shuffle<f32>(h, h, 1, 1, 1, 1), f32x4.splat(9))
  return f32x4.add(f32x4.add(near, f32x4.mul(f32x4.add(beside, over), f32x4.splat(3))), diagonal)
}
