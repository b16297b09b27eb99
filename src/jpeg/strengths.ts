import type { Canvas } from './canvas.ts'
import type { Tuning } from './tuning.ts'

/** How much error counts in each block of each component, 1 on (geometric) average: busy blocks hide it (SSIM's own masking). */
export const strengthsOf = (canvas: Canvas, tuning: Tuning): Float32Array[] => {
  const luma = lumaStrengths(canvas.activity, tuning)
  return canvas.frame.components.map(({ wide, high }, c) => (c === 0 ? luma : new Float32Array(wide * high).fill(1)))
}

const lumaStrengths = (activity: Float32Array, { masking, floor, least, most }: Tuning): Float32Array => {
  const blocks = activity.length / 5
  const logs = new Float64Array(blocks)
  let sum = 0
  for (let b = 0; b < blocks; b++) {
    let w = 0
    for (let i = 0; i < 4; i++) w += 1 / (activity[b * 5 + i]! + floor)
    logs[b] = Math.log(w)
    sum += logs[b]!
  }
  const mean = sum / blocks
  return Float32Array.from(logs, (log) => Math.max(least, Math.min(most, Math.exp((log - mean) * masking))))
}
