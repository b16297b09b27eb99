// RGB(A) or grey samples to float planes: Y at full size, Cb and Cr at 1:1 or averaged over 2x1 or 2x2 pixels.
// The sums are JFIF's (BT.601, full range), levels shifted to be about zero. Planes are padded by repeating the edge.

// @ts-ignore: decorator
@inline function sample(p: usize, i: i32): f32 { return <f32>load<u8>(p + <usize>i) }

function repeatEdge(row: usize, width: i32, padded: i32): void {
  const last = load<f32>(row + <usize>(width - 1) * 4)
  for (let x = width; x < padded; x++) store<f32>(row + <usize>x * 4, last)
}

function repeatRow(plane: usize, height: i32, paddedHigh: i32, padded: i32): void {
  const last = plane + <usize>((height - 1) * padded) * 4
  for (let y = height; y < paddedHigh; y++) memory.copy(plane + <usize>(y * padded) * 4, last, <usize>padded * 4)
}

/** Fills `plane` (padded x paddedHigh floats) with luma - 128 of the `width` x `height` pixels of `channels` bytes at `from`. */
export function lumaPlane(from: usize, channels: i32, width: i32, height: i32, plane: usize, padded: i32, paddedHigh: i32): void {
  let p = from
  for (let y = 0; y < height; y++) {
    const row = plane + <usize>(y * padded) * 4
    for (let x = 0; x < width; x++, p += channels) {
      const v = channels < 3 ? sample(p, 0) : sample(p, 0) * 0.299 + sample(p, 1) * 0.587 + sample(p, 2) * 0.114
      store<f32>(row + <usize>x * 4, v - 128)
    }
    repeatEdge(row, width, padded)
  }
  repeatRow(plane, height, paddedHigh, padded)
}

/** Fills the two planes with Cb and Cr, each the mean of `h` x `v` (1 or 2) pixels. */
export function chromaPlanes(
  from: usize, channels: i32, width: i32, height: i32, h: i32, v: i32, cb: usize, cr: usize, padded: i32, paddedHigh: i32,
): void {
  const wide = (width + h - 1) / h
  const high = (height + v - 1) / v
  for (let y = 0; y < high; y++) {
    const top = from + <usize>(min(y * v, height - 1) * width) * channels
    const low = from + <usize>(min(y * v + v - 1, height - 1) * width) * channels
    const b = cb + <usize>(y * padded) * 4
    const r = cr + <usize>(y * padded) * 4
    for (let x = 0; x < wide; x++) {
      const i = x * h * channels
      const j = min(x * h + h - 1, width - 1) * channels
      const red = sample(top, i) + sample(top, j) + sample(low, i) + sample(low, j)
      const green = sample(top, i + 1) + sample(top, j + 1) + sample(low, i + 1) + sample(low, j + 1)
      const blue = sample(top, i + 2) + sample(top, j + 2) + sample(low, i + 2) + sample(low, j + 2)
      store<f32>(b + <usize>x * 4, (blue * 0.5 - red * 0.168735892 - green * 0.331264108) * 0.25)
      store<f32>(r + <usize>x * 4, (red * 0.5 - green * 0.418687589 - blue * 0.081312411) * 0.25)
    }
    repeatEdge(b, wide, padded)
    repeatEdge(r, wide, padded)
  }
  repeatRow(cb, high, paddedHigh, padded)
  repeatRow(cr, high, paddedHigh, padded)
}
