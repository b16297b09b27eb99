import { expect, it } from 'vitest'
import { constantsIn } from '../scripts/prose/constants.ts'
import { countProse } from '../scripts/prose/count.ts'
import { isFragment } from '../scripts/prose/rules.ts'
import { commentsIn, paragraphsIn, sentencesIn, titlesIn } from '../scripts/prose/texts.ts'

it('finds every comment of a source and leaves directives of tools out', () => {
  const source = '/** First. */\nexport const a = 1 // second\n// biome-ignore lint: third\nconst b = "// no comment"\n'
  expect(commentsIn(source).map(({ line, text }) => [line, text])).toEqual([
    [1, 'First.'],
    [2, 'second'],
  ])
})

it('finds the titles of tests with and without modifiers', () => {
  const source =
    "it('returns 1', () => {})\nit.each([1])('adds %d', () => {})\ntest.skipIf(x)('runs', () => {})\ndescribe('no', () => {})"
  expect(titlesIn(source).map(({ text }) => text)).toEqual(['returns 1', 'adds %d', 'runs'])
})

it('finds the describe around a test, and the first row of a table for %s', () => {
  const source =
    "describe('a quota', () => { it('is refused', () => {}) })\ndescribe('a format', () => { it.each([['reads png', 1]] as const)('%s', () => {}) })"
  expect(titlesIn(source).map(({ text, subject }) => [subject, text])).toEqual([
    ['a quota', 'is refused'],
    ['a format', 'reads png'],
  ])
})

it('calls a title a fragment that lacks its subject or its verb', () => {
  const isAlone = (title: string): boolean => isFragment(title)
  expect(['not in an image of two', 'is the whole', 'of another key', 'frames'].map(isAlone)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(['returns 415 for a text file', 'an account keeps its quota'].map(isAlone)).toEqual([false, false])
})

it('accepts a title that begins with a verb when the title of its describe is the subject', () => {
  expect([isFragment('is refused at its limit', 'the quota'), isFragment('of another key', 'the quota')]).toEqual([
    false,
    true,
  ])
})

it('reads paragraphs and list items of Markdown, but neither code nor tables', () => {
  const markdown = '# Title\n\nOne two\nthree.\n\n- item a\n- item b\n\n```sh\nwhittle serve\n```\n\n| a | b |\n'
  expect(paragraphsIn(markdown).map(({ text }) => text)).toEqual(['One two three.', 'item a', 'item b'])
})

it('ends a sentence at its full stop and not inside code or a number', () => {
  expect(sentencesIn('Takes 1.5 ms, e.g. for `a. b`. Then it ends.')).toHaveLength(2)
})

it('counts idioms in 1,000 words and names the place of each', () => {
  const text = '// So many bytes are told anew.\nconst MOST_BYTES = 1\n'
  const { figures, hits } = countProse([{ path: 'src/a.ts', text }])
  expect(figures['idioms in 1,000 words of comments']).toBe(500)
  expect(figures['constants named MOST_ or LEAST_']).toBe(1)
  expect(hits.map(({ rule }) => rule).toSorted()).toEqual(['MOST_', 'anew', 'so many', 'tell'])
})

it('reports a sentence of more than 35 words in a document', () => {
  const sentence = (words: number): string => `${Array.from({ length: words }, () => 'word').join(' ')}.`
  const { figures } = countProse([{ path: 'docs/a.md', text: `${sentence(35)} ${sentence(36)}` }])
  expect(figures['sentences of the documents over 35 words, in percent']).toBe(50)
})

it('finds named numeric constants, and which have no comment above or behind them', () => {
  const text =
    "/** ms. */\nconst LIMIT_MS = 5\nexport const TWICE = 2 * LIMIT_MS\nconst SIDE = 8 // px\nconst NAME = 'a1'\n  const INNER = 1\n"
  expect(constantsIn(text).map(({ name, isExplained }) => [name, isExplained])).toEqual([
    ['LIMIT_MS', true],
    ['TWICE', false],
    ['SIDE', true],
  ])
})

it('counts the constants of the program without those of tests and fits', () => {
  const text = 'const LIMIT_MS = 5\n'
  const files = ['src/a.ts', 'src/a.test.ts', 'src/a.fitted.ts', 'bench/a.ts'].map((path) => ({ path, text }))
  const { figures } = countProse(files)
  expect([figures['named numeric constants'], figures['named numeric constants without a comment']]).toEqual([1, 1])
})
