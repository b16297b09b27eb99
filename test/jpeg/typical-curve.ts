import type { ScoreCurve } from '../../src/jpeg/search/quality-prediction.ts'

/** The corpus' photographs on average, by `bench/jpeg-prediction.ts`. */
export const typicalCurve: ScoreCurve = [
  [-20, 47.5],
  [10, 56],
  [35, 64.2],
  [55, 70.5],
  [70, 76.2],
  [80, 80.4],
  [88, 85.5],
  [94, 90.1],
]
