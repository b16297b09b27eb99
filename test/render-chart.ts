import { stringify } from 'yaml'

// The few constructs of Go templates that the chart uses, so that what it makes can be looked at where there is no Helm.

/** What templates read: `.Values`, `.Release`, `.Chart`. */
export type ChartScope = Readonly<Record<string, unknown>>

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly code: string }
  | { readonly kind: 'block'; readonly code: string; readonly body: readonly Piece[] }

interface Surroundings {
  readonly scope: ChartScope
  readonly variables: ReadonlyMap<string, unknown>
  readonly templates: ReadonlyMap<string, readonly Piece[]>
}

interface Token {
  readonly kind: 'text' | 'code'
  readonly text: string
}

/** Texts and actions by turns; `{{-` and `-}}` take the white space beside them. */
const tokensOf = (source: string): Token[] => {
  const parts = source.split(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/)
  const tokens: Token[] = []
  for (let at = 0; at < parts.length; at += 4) {
    const startsTrimmed = parts[at - 1] === '-'
    const endsTrimmed = parts[at + 1] === '-'
    const text = startsTrimmed ? parts[at]!.trimStart() : parts[at]!
    tokens.push({ kind: 'text', text: endsTrimmed ? text.trimEnd() : text })
    if (at + 2 < parts.length) tokens.push({ kind: 'code', text: parts[at + 2]! })
  }
  return tokens
}

const BLOCK = /^(?:if|range|define)\b/

const parse = (tokens: Token[]): Piece[] => {
  const pieces: Piece[] = []
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    const { kind, text } = token
    if (kind === 'text') pieces.push({ kind, text })
    else if (text === 'end') return pieces
    else if (BLOCK.test(text)) pieces.push({ kind: 'block', code: text, body: parse(tokens) })
    else pieces.push({ kind: 'value', code: text })
  }
  return pieces
}

const readPath = (path: string, from: unknown): unknown =>
  path
    .split('.')
    .filter(Boolean)
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], from)

const isTrue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)

const indented = (text: string, spaces: number): string => text.replace(/^(?=.)/gm, ' '.repeat(spaces))

const FUNCTIONS: Readonly<Record<string, (values: readonly unknown[], around: Surroundings) => unknown>> = {
  include: ([name], around) => render(around.templates.get(String(name)) ?? [], around),
  nindent: ([spaces, text]) => `\n${indented(String(text), Number(spaces))}`,
  toYaml: ([value]) => stringify(value).trimEnd(),
  quote: ([value]) => JSON.stringify(String(value)),
  default: ([otherwise, value]) => (isTrue(value) ? value : otherwise),
  not: ([value]) => !isTrue(value),
}

const readWord = (word: string, { scope, variables }: Surroundings): unknown => {
  if (word.startsWith('"')) return JSON.parse(word)
  if (word.startsWith('$')) return variables.get(word)
  if (word.startsWith('.')) return readPath(word, scope)
  if (/^\d+$/.test(word)) return Number(word)
  throw new Error(`The chart says "${word}", which is no value that is known here.`)
}

/** The value of a pipeline: each function gets what came out of the one before as its last argument. */
const evaluate = (code: string, around: Surroundings): unknown => {
  let piped: readonly unknown[] = []
  for (const part of code.split(/\s+\|\s+/)) {
    const [first = '', ...rest] = part.match(/"[^"]*"|\S+/g) ?? []
    const call = FUNCTIONS[first]
    const values = rest.map((word) => readWord(word, around)).concat(piped)
    piped = [call === undefined ? readWord(first, around) : call(values, around)]
  }
  return piped[0]
}

const renderBlock = (code: string, body: readonly Piece[], around: Surroundings): string => {
  if (code.startsWith('define')) return ''
  if (code.startsWith('if')) return isTrue(evaluate(code.slice(2).trim(), around)) ? render(body, around) : ''
  const [, name = '', value = '', list = ''] = /^range\s+(\$\w+),\s*(\$\w+)\s*:=\s*(.*)$/.exec(code) ?? []
  return Object.entries(evaluate(list, around) as object)
    .map(([key, one]) =>
      render(body, { ...around, variables: new Map([...around.variables, [name, key], [value, one]]) }),
    )
    .join('')
}

const render = (pieces: readonly Piece[], around: Surroundings): string =>
  pieces
    .map((piece) => {
      if (piece.kind === 'text') return piece.text
      return piece.kind === 'block' ? renderBlock(piece.code, piece.body, around) : String(evaluate(piece.code, around))
    })
    .join('')

const definedIn = (pieces: readonly Piece[]): [string, readonly Piece[]][] =>
  pieces.flatMap((piece) => {
    const name = piece.kind === 'block' ? /^define\s+"(.*)"$/.exec(piece.code)?.[1] : undefined
    return piece.kind === 'block' && name !== undefined ? [[name, piece.body]] : []
  })

/** What the templates of a chart become, one text for each. */
export const renderChart = (sources: readonly string[], scope: ChartScope): string[] => {
  const parsed = sources.map((source) => parse(tokensOf(source)))
  const templates = new Map(parsed.flatMap(definedIn))
  return parsed.map((pieces) => render(pieces, { scope, variables: new Map(), templates }))
}
