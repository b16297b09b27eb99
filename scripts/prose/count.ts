/** Counts what the rules find in the prose of one project. Pure: files come as texts. */
import { constantsIn } from './constants.ts'
import { IDIOMS, isFragment, MAX_SENTENCE_WORDS, NAMES } from './rules.ts'
import { commentsIn, type Prose, paragraphsIn, sentencesIn, titlesIn, withoutCode, wordsOf } from './texts.ts'

export interface SourceText {
  readonly path: string
  readonly text: string
}

/** One place to mend. */
export interface Hit {
  readonly path: string
  readonly line: number
  readonly rule: string
  readonly text: string
}

/** Figures that have a limit, by name. Most are rates, so that a growing project is not punished for its size. */
export interface Counted {
  readonly figures: Readonly<Record<FigureName, number>>
  readonly hits: readonly Hit[]
}

export type FigureName =
  | 'idioms in 1,000 words of comments'
  | 'idioms in 1,000 words of documents'
  | 'test titles that are fragments, in percent'
  | 'constants named MOST_ or LEAST_'
  | 'named numeric constants'
  | 'named numeric constants without a comment'
  | 'words in a sentence of the documents'
  | 'sentences of the documents over 35 words, in percent'
  | 'sentences of comments over 35 words, in percent'

type In<P extends Prose> = P & { readonly path: string }
type Found = In<Prose>

const isSource = ({ path }: SourceText): boolean => path.endsWith('.ts')
const isTest = ({ path }: SourceText): boolean => path.endsWith('.test.ts') || path.startsWith('test/')

const of = <P extends Prose>(files: readonly SourceText[], take: (text: string) => readonly P[]): readonly In<P>[] =>
  files.flatMap(({ path, text }) => take(text).map((prose) => ({ ...prose, path })))

const idiomsIn = (found: readonly Found[]): readonly Hit[] =>
  found.flatMap(({ path, line, text }) =>
    IDIOMS.flatMap(({ name, pattern }) =>
      [...withoutCode(text).matchAll(pattern)].map((match) => ({
        path,
        line,
        rule: name,
        text: withoutCode(text)
          .slice(Math.max(0, match.index - 30), match.index + 40)
          .replaceAll('\n', ' '),
      })),
    ),
  )

const longIn = (found: readonly Found[]): readonly Hit[] =>
  found.flatMap(({ path, line, text }) =>
    sentencesIn(text)
      .filter((sentence) => wordsOf(sentence) > MAX_SENTENCE_WORDS)
      .map((sentence) => ({ path, line, rule: `${wordsOf(sentence)} words`, text: sentence.slice(0, 70) })),
  )

const namesIn = (files: readonly SourceText[]): readonly Hit[] => {
  const found = new Map<string, Hit>()
  for (const { path, text } of files)
    for (const { name, pattern } of NAMES)
      for (const [constant] of text.matchAll(pattern))
        found.set(`${path} ${constant}`, { path, line: 0, rule: name, text: constant })
  return [...found.values()]
}

/** Numbers that are written by hand: of the program, not of its tests or fits. */
const constantsOf = (files: readonly SourceText[]) =>
  files
    .filter((file) => file.path.startsWith('src/') && !isTest(file) && !file.path.endsWith('.fitted.ts'))
    .flatMap(({ path, text }) => constantsIn(text).map((constant) => ({ ...constant, path })))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
const wordsIn = (found: readonly Prose[]): number => sum(found.map(({ text }) => wordsOf(withoutCode(text))))
const rate = (count: number, of: number, per: number): number => (of === 0 ? 0 : (count * per) / of)

/** Reads all files once and returns the figures and every hit behind them. */
export const countProse = (files: readonly SourceText[]): Counted => {
  const sources = files.filter(isSource)
  const comments = of(sources, commentsIn)
  const titles = of(files.filter(isTest), titlesIn)
  const paragraphs = of(
    files.filter((file) => !isSource(file)),
    paragraphsIn,
  )
  const sentences = paragraphs.flatMap(({ text }) => sentencesIn(text))
  const commentSentences = comments.flatMap(({ text }) => sentencesIn(text))
  const idioms = { comments: idiomsIn([...comments, ...titles]), documents: idiomsIn(paragraphs) }
  const long = { comments: longIn(comments), documents: longIn(paragraphs) }
  const fragments = titles
    .filter(({ text, subject }) => isFragment(text, subject))
    .map(({ path, line, text }) => ({ path, line, rule: 'fragment', text }))
  const names = namesIn(sources.filter((file) => !file.path.startsWith('scripts/prose')))
  const constants = constantsOf(sources)
  const unexplained = constants
    .filter(({ isExplained }) => !isExplained)
    .map(({ path, line, name }) => ({ path, line, rule: 'no unit or source', text: name }))
  return {
    figures: {
      'idioms in 1,000 words of comments': rate(idioms.comments.length, wordsIn([...comments, ...titles]), 1000),
      'idioms in 1,000 words of documents': rate(idioms.documents.length, wordsIn(paragraphs), 1000),
      'test titles that are fragments, in percent': rate(fragments.length, titles.length, 100),
      'constants named MOST_ or LEAST_': names.length,
      'named numeric constants': constants.length,
      'named numeric constants without a comment': unexplained.length,
      'words in a sentence of the documents': rate(sum(sentences.map(wordsOf)), sentences.length, 1),
      'sentences of the documents over 35 words, in percent': rate(long.documents.length, sentences.length, 100),
      'sentences of comments over 35 words, in percent': rate(long.comments.length, commentSentences.length, 100),
    },
    hits: [
      ...idioms.comments,
      ...idioms.documents,
      ...fragments,
      ...names,
      ...unexplained,
      ...long.documents,
      ...long.comments,
    ],
  }
}
