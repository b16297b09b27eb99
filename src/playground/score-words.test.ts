import { expect, it } from 'vitest'
import { scoreWords } from './score-words.ts'

it.each([
  [100, 'looks like the source, also side by side'],
  [85, 'looks like the source, also side by side'],
  [70.7, 'looks like the source at 100 %'],
  [55, 'small differences at 100 %'],
  [-12, 'visible differences'],
])('describes a score of %s in words', (score, words) => expect(scoreWords(score)).toBe(words))
