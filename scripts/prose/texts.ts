/** Takes the prose out of sources and documents: comments, test titles, paragraphs. */
import ts from 'typescript'

/** A piece of prose and the line where it begins, from 1. */
export interface Prose {
  readonly line: number
  readonly text: string
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

const bareComment = (comment: string): string =>
  comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\/|\*)\s?/, '').trim())
    .join('\n')
    .trim()

/** Comments of a TypeScript or AssemblyScript source. Directives of tools do not count. */
export const commentsIn = (source: string): readonly Prose[] => {
  const found = new Map<number, Prose>()
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ]
    for (const { pos, end } of ranges) {
      const text = bareComment(source.slice(pos, end))
      if (!/^(?:biome-ignore|@ts-|@vitest|#!)/.test(text)) found.set(pos, { line: lineAt(source, pos), text })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, false))
  return [...found.values()]
}

/** The title of a test, and that of the `describe` around it. */
export interface Title extends Prose {
  readonly subject?: string
}

const rootOf = (node: ts.Expression): string => {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootOf(node.expression)
  return ''
}

const literalOf = (node: ts.Expression | undefined): string =>
  (node && (ts.isStringLiteralLike(node) ? node.text : ts.isTemplateExpression(node) ? node.head.text : '')) || ''

/** The first text of the first row of `it.each([…])`, which `%s` at the beginning of a title stands for. */
const firstTextOf = (each: ts.Expression): string => {
  const table = ts.isCallExpression(each) && each.arguments[0]
  const rows = table && ts.isAsExpression(table) ? table.expression : table
  const [row] = rows && ts.isArrayLiteralExpression(rows) ? rows.elements : []
  return literalOf(row && ts.isArrayLiteralExpression(row) ? row.elements[0] : row)
}

/** Titles of the tests of a source: the first argument of `it` and `test`, with their modifiers. */
export const titlesIn = (source: string): readonly Title[] => {
  const found: Title[] = []
  const visit = (node: ts.Node, subject: string): void => {
    const root = ts.isCallExpression(node) && node.arguments.length > 1 ? rootOf(node.expression) : ''
    const title = root && ts.isCallExpression(node) ? literalOf(node.arguments[0]) : ''
    if (title && ts.isCallExpression(node) && (root === 'it' || root === 'test')) {
      const text = title.replace(/^%s/, firstTextOf(node.expression) || '%s')
      found.push({ line: lineAt(source, node.getStart()), text, ...(subject && { subject }) })
    }
    const inner = root === 'describe' ? title : ''
    ts.forEachChild(node, (child) => visit(child, inner || subject))
  }
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true), '')
  return found
}

/** Paragraphs and list items of a Markdown document. Code, tables, headings and front matter do not count. */
export const paragraphsIn = (markdown: string): readonly Prose[] => {
  const found: Prose[] = []
  let fenced = false
  let open: { line: number; lines: string[] } | undefined
  const close = (): void => {
    if (open) found.push({ line: open.line, text: open.lines.join(' ') })
    open = undefined
  }
  for (const [index, raw] of markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .split('\n')
    .entries()) {
    const line = raw.trim()
    if (/^(?:```|~~~)/.test(line)) fenced = !fenced
    if (fenced || line === '' || /^(?:```|~~~|\||#|!\[|<|\[.*\]:)/.test(line)) {
      close()
      continue
    }
    if (/^(?:[-*+]|\d+\.)\s/.test(line)) close()
    open ??= { line: index + 1, lines: [] }
    open.lines.push(line.replace(/^(?:[-*+]|\d+\.|>)\s+/, ''))
  }
  close()
  return found
}

/** Text without what is no prose: code, addresses, links' targets. */
export const withoutCode = (text: string): string =>
  text
    .replace(/`[^`]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'address')

/** Sentences of a piece of prose. An abbreviation or a decimal point ends none. */
export const sentencesIn = (text: string): readonly string[] =>
  withoutCode(text)
    .replace(/\n(?=\s*(?:[-*]|\n))/g, '. ')
    .replace(/\b(e\.g|i\.e|etc|vs|cf)\./g, '$1')
    .split(/(?<=[.!?])["')\]]*\s+|\n\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[a-z]/i.test(sentence))

export const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /[a-z0-9]/i.test(word)).length
