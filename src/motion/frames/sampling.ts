/**
 * Frame numbers that stand for an animation when it is scored, each in the middle of its share: the first frame, which
 * encoders store best, weighs no more than it should.
 */
export const sampleFrames = (frames: number, most: number): number[] => {
  const count = Math.min(frames, most)
  return Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * frames) / count))
}
