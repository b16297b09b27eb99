import type { ScoreCurve } from '../../src/jpeg/search/quality-prediction.ts'

/** The corpus' photographs on average, by `bench/jpeg-prediction.ts`. */
export const typicalCurve: ScoreCurve = [
  [-20, 41.9],
  [10, 52.2],
  [35, 60.7],
  [55, 67.7],
  [70, 75.1],
  [80, 80.4],
  [88, 85.7],
  [94, 90.5],
]
