import { describe, expect, it } from 'vitest'
import { correctSegment } from './correct.ts'

describe('a list is corrected to what was probably meant', () => {
  it.each<[string, string | undefined]>([
    ['full', 'full'],
    ['FULL,quality=80', 'full'],
    ['300x200,corp', '300x200,crop'],
    ['300x200;crop', '300x200,crop'],
    ['300x200,2X,crop=Auto,wibble-wobble', '300x200,2x,crop=auto'],
    ['2x,x200', 'x200,2x'],
    ['full,format=h265', 'full,format=h264'],
    ['wibble-wobble', undefined],
    ['', undefined],
    [',', undefined],
  ])('corrects %s to %s', (sent, corrected) => {
    expect(correctSegment(sent, { maxTimeout: 30 })).toBe(corrected)
  })
})
