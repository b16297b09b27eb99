/** The light of each tile: sums of linear red, green and blue. */
import { TILE_BYTES, colourAcross, colourDown, colourSide, colours, linear, linearPitch, width } from './layout'

@inline
function total(v: v128): f64 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return <f64>(f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1))
}

/** Adds row y, which lies ready in linear light with nothing behind it. */
export function addLight(y: i32): void {
  const row = min(colourDown - 1, y / colourSide) * colourAcross
  for (let tile = 0; tile < colourAcross; tile++) {
    const from = <usize>(tile * colourSide) << 2
    const until = <usize>(tile == colourAcross - 1 ? width : (tile + 1) * colourSide) << 2
    const to = colours + <usize>(row + tile) * TILE_BYTES
    for (let channel: usize = 0; channel < 3; channel++) {
      const light = linear + channel * linearPitch
      let sum = f32x4.splat(0)
      for (let x = from; x < until; x += 16) sum = f32x4.add(sum, v128.load(light + x))
      store<f64>(to + (channel << 3), load<f64>(to + (channel << 3)) + total(sum))
    }
  }
}
