import { describe, expect, it } from 'vitest'
import { describeOptions, describeSegment } from './describe.ts'
import { parseOptions } from './parse.ts'

const LIMITS = { maxTimeout: 30 }

const linesOf = (segment: string): Readonly<Record<string, string>> => {
  const result = parseOptions(segment, LIMITS)
  if (result.kind === 'wrong') throw new Error(result.failure.message)
  return Object.fromEntries(describeOptions(result.options).map(({ name, value }) => [name, value]))
}

describe('the reading of a list', () => {
  it('describes for each item its reading and its error', () => {
    expect(describeSegment('300X200,2x,,qualty=high,crop=50x25', LIMITS).items).toEqual([
      {
        kind: 'slightly wrong',
        item: '300X200',
        meaning: '300 x 200 CSS px',
        warning: '300X200 was read as 300x200: options are written in lower case.',
      },
      { kind: 'right', item: '2x', meaning: '2 device pixels for each CSS px' },
      { kind: 'empty', item: '', meaning: 'left out' },
      {
        kind: 'wrong',
        item: 'qualty=high',
        meaning: 'not understood',
        warning: '"qualty=high" is not an option. Did you mean "quality=high"?',
      },
      {
        kind: 'slightly wrong',
        item: 'crop=50x25',
        meaning: 'scaled and cropped to exactly this size, towards the point 50 % from the left and 25 % from the top',
        warning: 'crop=50x25 was read as crop=0.5x0.25: a focal point is given in fractions, not percent.',
      },
    ])
  })

  it.each(['full', '300x200,full', 'foo', '', 'https:'])('the outcome for "%s" equals that of parsing', (segment) => {
    expect(describeSegment(segment, LIMITS).outcome).toEqual(parseOptions(segment, LIMITS))
  })
})

describe('the description of options', () => {
  it('the description includes defaults', () => {
    expect(linesOf('full')).toEqual({
      Size: 'as the source: no resizing',
      Colours: 'colours of sRGB',
      Trim: 'no',
      Background: 'FFF',
      Quality: 'medium: balances size and quality',
      Format: 'chosen automatically',
      Metadata: 'no metadata',
      Timeout: '30 s',
    })
  })

  it.each([
    ['300', 'at most 300 CSS px wide', 'scaled down to fit inside, never enlarged'],
    ['x200,fit', 'at most 200 CSS px high', 'scaled to fit inside, enlarged if need be'],
    [
      '300x200,2x,pad',
      '300 x 200 CSS px, which is 600 x 400 device px at 2x',
      'scaled to fit inside, then padded to exactly this size',
    ],
    ['300x200,crop=left', '300 x 200 CSS px', 'scaled and cropped to exactly this size, keeping the left edge'],
  ])('describes size and method of %s', (segment, size, method) => {
    expect(linesOf(segment)).toMatchObject({ Size: size, Method: method })
  })
})
