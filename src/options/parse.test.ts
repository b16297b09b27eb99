import { describe, expect, it } from 'vitest'
import type { OptionLimits, Options } from './options.ts'
import { parseOptions } from './parse.ts'
import { printOptions } from './print.ts'
import { LISTS_SLIGHTLY_WRONG, LISTS_WRONG } from './rows/list.ts'
import { OPTIONS_TABLE } from './table.ts'

const LIMITS: OptionLimits = { maxTimeout: 30 }

const read = (segment: string, limits = LIMITS): { options: Options; warnings: readonly string[] } => {
  const result = parseOptions(segment, limits)
  if (result.kind === 'wrong') throw new Error(`${segment}: ${result.failure.message}`)
  return result
}

const refusal = (segment: string): { status: number; text: string } => {
  const result = parseOptions(segment, LIMITS)
  if (result.kind === 'ok') throw new Error(`${segment} was read as ${printOptions(result.options)}`)
  return { status: result.failure.status, text: result.failure.message }
}

describe.each(OPTIONS_TABLE.map((row) => [row.name, row] as const))('option %s', (_, row) => {
  it.each(row.samples)('reads %s without a Warning', (sample) => {
    expect(read(sample).warnings).toEqual([])
  })

  it.each(row.slightlyWrong)('reads $send as $read with a Warning', ({ send, read: canonical, warnings }) => {
    const result = read(send)
    expect(printOptions(result.options)).toBe(canonical)
    expect(result.warnings).toEqual(warnings)
    expect(warnings.length).toBeGreaterThan(0)
  })

  it.each(row.wrong)('refuses $send', ({ send, text }) => {
    expect(refusal(send)).toEqual({ status: 400, text })
  })
})

describe('a list of options', () => {
  it.each(LISTS_SLIGHTLY_WRONG)('$send is read as $read with a Warning', ({ send, read: canonical, warnings }) => {
    const result = read(send)
    expect(printOptions(result.options)).toBe(canonical)
    expect(result.warnings).toEqual(warnings)
    expect(warnings.length).toBeGreaterThan(0)
  })

  it.each(LISTS_WRONG)('$send is refused', ({ send, text }) => {
    expect(refusal(send)).toEqual({ status: 400, text })
  })

  it('a size alone gets the documented defaults', () => {
    expect(read('300x200').options).toEqual({
      resize: { kind: 'box', width: 300, height: 200, density: 1, method: { kind: 'scale-down' } },
      trim: false,
      background: { r: 255, g: 255, b: 255 },
      quality: 'medium',
      format: 'auto',
      gamut: 'srgb',
      meta: 'none',
      timeout: 30,
    })
  })

  it('reads every option at once', () => {
    expect(
      read('300x200,2x,crop=0.25x0.75,trim=border,bgcolor=F0C,quality=low,format=webp,gamut=p3,timeout=2.5').options,
    ).toEqual({
      resize: {
        kind: 'box',
        width: 300,
        height: 200,
        density: 2,
        method: { kind: 'crop', focus: { kind: 'point', at: { x: 0.25, y: 0.75 } } },
      },
      trim: true,
      background: { r: 255, g: 0, b: 204 },
      quality: 'low',
      format: 'webp',
      gamut: 'p3',
      meta: 'none',
      timeout: 2.5,
    })
  })

  it.each([
    ['crop=0.1x0.2', 'crop=top'],
    ['crop=top', 'crop=left'],
    ['crop=left', 'crop=right'],
    ['crop=right', 'crop=bottom'],
    ['crop=bottom', 'crop=auto'],
    ['crop=auto', 'crop'],
    ['crop', 'pad'],
    ['pad', 'fit'],
    ['fit', 'scale-down'],
    ['3x', '2x'],
    ['2x', '1x'],
    ['400x300', '300x200'],
    ['300', '300x200'],
    ['format=png', 'format=jpeg'],
    ['format=gif', 'format=avif'],
    ['gamut=p3', 'gamut=srgb'],
    ['timeout=20', 'timeout=10'],
    ['bgcolor=000', 'bgcolor=transparent'],
  ])('%s outranks %s (§2.1)', (winner, loser) => {
    const alone = winner.startsWith('300') || winner.startsWith('400') ? winner : `500x500,${winner}`
    const both = `${alone},${loser}`
    expect(read(both).options).toEqual(read(alone).options)
    expect(read(both).warnings).toHaveLength(1)
  })

  it('keeps lossless when nothing contradicts it', () => {
    for (const list of ['full', 'full,trim=border', 'full,format=png', 'full,crop', 'full,2x'])
      expect(read(`${list},quality=lossless`).options.quality).toBe('lossless')
  })

  it('default and maximum timeout come from the server', () => {
    expect(read('full', { maxTimeout: 20 }).options.timeout).toBe(20)
    expect(read('full', { maxTimeout: 120 }).options.timeout).toBe(30)
    expect(read('full', { maxTimeout: 120, defaultTimeout: 60 }).options.timeout).toBe(60)
    expect(read('full,timeout=90', { maxTimeout: 120 })).toMatchObject({ options: { timeout: 90 }, warnings: [] })
    expect(read('full,timeout=25', { maxTimeout: 20 })).toMatchObject({
      options: { timeout: 20 },
      warnings: ['timeout=25 was read as timeout=20: a timeout is at most 20 here.'],
    })
  })

  it('returns at most 8 Warnings of 200 printable bytes', () => {
    const many = Array.from({ length: 500 }, (_, index) => `${index + 11}PX`).join(',')
    const { warnings } = read(many)
    expect(warnings).toHaveLength(8)
    expect(warnings.at(-1)).toBe('494 more warnings on the options are left out.')
  })

  it('refuses a list of thousands of characters as one item, since each item costs time', () => {
    const long = '2x,'.repeat(2_000)
    const text = /^"2x,2x,.{1,90}" is too long: a list of options has at most 4096 characters\.$/
    expect(refusal(long)).toEqual({ status: 400, text: expect.stringMatching(text) })
    expect(parseOptions('2x,'.repeat(1_000), LIMITS).kind).toBe('ok')
  })

  it('lists at most 8 problems', () => {
    expect(refusal('a,b,c,d,e,f,g,h,i').text).toContain('"h" is not an option. And 1 more item is wrong.')
  })

  it.each([
    '9',
    '9x',
    'crop=',
    '%20',
    '+',
    '.',
    'a',
    ',',
    '%2c',
    'x ',
    '= ',
    'px',
    '-',
    '300x200;',
  ])('answers 16 KB of "%s" with a short text', (hostile) => {
    const result = parseOptions(hostile.repeat(16_384 / hostile.length), LIMITS)
    const texts = result.kind === 'wrong' ? [result.failure.message] : result.warnings
    expect(texts.join(' ').length).toBeLessThan(400)
  })
})
