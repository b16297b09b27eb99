/**
 * Frame numbers that stand for an animation when it is scored, each in the middle of its share: the first frame, which
 * encoders store best, weighs no more than it should.
 */
export const sampleFrames = (frames: number, most: number): number[] => {
  const count = Math.min(frames, most)
  return Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * frames) / count))
}

/** The same, with the last frame for the last share: it stays when an animation ends, and no later frame keeps its pixels. */
export const sampleToLast = (frames: number, most: number): number[] => [
  ...sampleFrames(frames, most).slice(0, -1),
  frames - 1,
]
