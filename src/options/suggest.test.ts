import { describe, expect, it } from 'vitest'
import { editDistance, splitJoined, suggest } from './suggest.ts'
import { OPTIONS_TABLE } from './table.ts'

describe('the option that was probably meant', () => {
  it.each([
    ['ful', 'full'],
    ['fulll', 'full'],
    ['crp', 'crop'],
    ['Corp', 'crop'],
    ['fti', 'fit'],
    ['scale-dwon', 'scale-down'],
    ['scaledwn', 'scale-down'],
    ['medum', 'quality=medium'],
    ['qualty=high', 'quality=high'],
    ['quality=hihg', 'quality=high'],
    ['quality:high', 'quality=high'],
    ['qaulity=80', 'quality=80'],
    ['formt=webp', 'format=webp'],
    ['format=jpge', 'format=jpeg'],
    ['jepg', 'format=jpeg'],
    ['trim=boarder', 'trim=border'],
    ['timout=10', 'timeout=10'],
    ['bgcolr=fff', 'bgcolor=fff'],
    ['contain', 'fit'],
    ['cover', 'crop'],
    ['bottom', 'crop=bottom'],
  ])('%s was probably meant as %s', (item, meant) => {
    expect(suggest(item)).toBe(meant)
  })

  it.each([
    'rotate',
    'blur=5',
    'sharpen',
    'x',
    '',
    '=',
    'a'.repeat(5000),
    'grayscale',
    'constructor',
    'dpi=300',
  ])('%s resembles no option', (item) => {
    expect(suggest(item)).toBeUndefined()
  })

  it('every word of the table has its suggestion', () => {
    for (const [word, meant] of OPTIONS_TABLE.flatMap((row) => Object.entries(row.words)))
      expect(suggest(word)).toBe(meant)
  })
})

describe('items joined by something else than commas', () => {
  it.each([
    ['300x200;crop', '300x200,crop'],
    ['300x200&2x&crop=top', '300x200,2x,crop=top'],
    ['300x200|quality=low', '300x200,quality=low'],
    ['300x200 crop', '300x200,crop'],
    ['300x200/2x', '300x200,2x'],
    ['300x200-crop', '300x200,crop'],
    ['300:200', '300x200'],
    ['300 200', '300x200'],
  ])('%s is split into %s', (text, meant) => {
    expect(splitJoined(text)).toEqual({ meant })
  })

  it.each([
    'scale-dwon',
    '300.5x200',
    '300x-200',
    'foo bar',
    'crop=top-bottom',
    '',
    ';;;',
  ])('%s is not split', (text) => {
    expect(splitJoined(text)).toBeUndefined()
  })
})

describe('an abbreviation', () => {
  it.each([
    ['quality=hi', 'quality=high'],
    ['quality=med', 'quality=medium'],
  ])('%s means %s', (item, meant) => expect(suggest(item)).toBe(meant))

  it('an abbreviation of several values gives no suggestion', () => expect(suggest('quality=lo')).toBeUndefined())
})

describe('the distance between two words', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['crop', 'crop', 0],
    ['corp', 'crop', 1],
    ['crp', 'crop', 1],
    ['cropp', 'crop', 1],
    ['crip', 'crop', 1],
    ['kitten', 'sitting', 3],
  ])('the distance between "%s" and "%s" is %d', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance)
    expect(editDistance(to, from)).toBe(distance)
  })
})
