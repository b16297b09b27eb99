/** Frame numbers that stand for an animation when it is judged: first, last, and others evenly between. */
export const sampleFrames = (frames: number, most: number): number[] => {
  const count = Math.min(frames, most)
  if (count === 1) return [0]
  return Array.from({ length: count }, (_, i) => Math.round((i * (frames - 1)) / (count - 1)))
}
