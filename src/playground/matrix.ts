import type { OptionLimits, Options } from '../options/options.ts'
import { fill, h, setAttribute } from './dom.ts'
import { formatBytes, formatChange, formatExactBytes, formatSeconds } from './numbers.ts'
import { type Cell, cellsOf, comparedGrid, type Grid, listFor, sameCell } from './reading.ts'
import type { Outcome } from './requests.ts'
import { outcomeKey, type SourceImage, type State } from './state.ts'

/** The table of compared results. */
export interface Matrix {
  readonly element: HTMLElement
  readonly show: (state: State, item: SourceImage | undefined, options: Options | undefined) => void
}

const FORMAT_NAMES: Readonly<Record<Options['format'], string>> = {
  auto: 'Automatic',
  png: 'PNG',
  jpeg: 'JPEG',
  webm: 'WebM',
  h264: 'H.264',
  gif: 'GIF',
  webp: 'WebP',
  avif: 'AVIF',
  jxl: 'JPEG XL',
}

/** Returns the name of a media type: `JPEG` for `image/jpeg`. */
export const nameOfType = (type: string): string => {
  const name = type.split('/')[1]?.split('+')[0] ?? type
  if (name === 'jxl') return 'JPEG XL'
  return name === 'webp' ? 'WebP' : name === 'mp4' ? 'MP4' : name === 'webm' ? 'WebM' : name.toUpperCase()
}

const scoresOf = (outcome: Extract<Outcome, { kind: 'done' }>): string[] => [
  ...(outcome.score === undefined ? [] : [`SSIMULACRA ${outcome.score.toFixed(1)}`]),
  ...(outcome.butteraugli === undefined ? [] : [`Butteraugli ${outcome.butteraugli.toFixed(2)}`]),
]

const doneContent = (outcome: Extract<Outcome, { kind: 'done' }>, bytes: number | undefined): Node[] => {
  const bar = h('span', { class: 'bar' }, h('span', {}))
  const share = bytes === undefined || bytes === 0 ? 1 : Math.min(1, outcome.bytes / bytes)
  ;(bar.firstElementChild as HTMLElement).style.width = `${(share * 100).toFixed(1)}%`
  return [
    h(
      'span',
      { class: 'headline' },
      h('strong', { title: formatExactBytes(outcome.bytes) }, formatBytes(outcome.bytes)),
      h('span', { class: 'change' }, bytes === undefined ? '' : formatChange(bytes, outcome.bytes)),
    ),
    bar,
    h(
      'span',
      { class: 'fine' },
      [nameOfType(outcome.type), formatSeconds(outcome.ms), ...scoresOf(outcome)].join(' · '),
    ),
    ...(outcome.warnings.length === 0
      ? []
      : [
          h(
            'span',
            { class: 'fine slight', title: outcome.warnings.join('\n') },
            `${outcome.warnings.length} ${outcome.warnings.length === 1 ? 'warning' : 'warnings'}`,
          ),
        ]),
  ]
}

const cellContent = (outcome: Outcome | undefined, running: boolean, bytes: number | undefined): Node[] => {
  if (outcome?.kind === 'done' && outcome.timedOut)
    return [h('span', { class: 'fine slight' }, `timed out after ${formatSeconds(outcome.ms)} without a result`)]
  if (outcome?.kind === 'done') return doneContent(outcome, bytes)
  if (outcome?.kind === 'refused') return [h('span', { class: 'fine wrong' }, outcome.text)]
  return [h('span', { class: 'fine pending' }, running ? 'working…' : 'waiting')]
}

const cellKey = ({ quality, format }: Cell): string => `${quality} ${format}`

/** Creates a table with one button per cell, and returns the buttons by {@link cellKey}. */
const layOut = ({ qualities, formats }: Grid, choose: (cell: Cell) => void) => {
  const buttons = new Map<string, HTMLButtonElement>()
  const button = (cell: Cell): HTMLButtonElement => {
    const element = h('button', { type: 'button', class: 'cell', on: { click: () => choose(cell) } })
    buttons.set(cellKey(cell), element)
    return element
  }
  const head = h('tr', {}, h('td', {}), ...qualities.map((quality) => h('th', { scope: 'col' }, quality)))
  const rows = formats.map((format) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, FORMAT_NAMES[format]),
      ...qualities.map((quality) => h('td', { 'data-quality': quality }, button({ quality, format }))),
    ),
  )
  return { table: h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows)), buttons }
}

/** Holds the table of the current grid. Creates another one only when the grid changes. */
const makeTable = (choose: (cell: Cell) => void) => {
  const element = h('div', {
    class: 'matrix-scroll',
    tabindex: '0',
    role: 'region',
    'aria-label': 'Results by quality and format',
  })
  let buttons = new Map<string, HTMLButtonElement>()
  let shown = ''
  return {
    element,
    buttonsOf: (grid: Grid): ReadonlyMap<string, HTMLButtonElement> => {
      const shape = `${grid.qualities} ${grid.formats}`
      if (shape === shown) return buttons
      shown = shape
      const layout = layOut(grid, choose)
      buttons = layout.buttons
      fill(element, layout.table)
      return buttons
    },
  }
}

/** Returns the content of a cell: the result, its progress, or an offer to request it. */
const cellNodes = (key: string, state: State, item: SourceImage): Node[] => {
  const outcome = state.outcomes.get(key)
  const running = state.running.has(key)
  const idle = outcome === undefined && !running && !state.compare
  return idle ? [h('span', { class: 'fine' }, 'request it')] : cellContent(outcome, running, item.bytes)
}

/** Creates the table of results by quality and format, with bytes, time and both metrics. */
export const makeMatrix = (
  limits: OptionLimits,
  act: { readonly choose: (cell: Cell) => void; readonly compare: (on: boolean) => void },
): Matrix => {
  const compare = h('input', { type: 'checkbox', role: 'switch', on: { change: () => act.compare(compare.checked) } })
  const table = makeTable(act.choose)
  const element = h(
    'section',
    { class: 'card matrix', 'aria-labelledby': 'matrix-title' },
    h(
      'header',
      {},
      h('h2', { id: 'matrix-title' }, 'Side by side'),
      h('label', { class: 'toggle' }, compare, h('span', {}, 'Request all')),
    ),
    table.element,
  )
  /** The current content of each button, to draw only changes. */
  const contents = new WeakMap<HTMLButtonElement, string>()
  const showCell = (button: HTMLButtonElement, key: string, state: State, item: SourceImage): void => {
    const content = `${key} ${state.outcomes.get(key)?.kind ?? state.running.has(key)} ${state.compare} ${item.bytes}`
    if (contents.get(button) === content) return
    contents.set(button, content)
    fill(button, ...cellNodes(key, state, item))
  }
  const show: Matrix['show'] = (state, item, options) => {
    setAttribute(element, 'hidden', item === undefined || options === undefined || item.refused !== undefined)
    if (item === undefined || options === undefined) return
    compare.checked = state.compare
    const grid = comparedGrid(options)
    const buttons = table.buttonsOf(grid)
    for (const cell of cellsOf(grid)) {
      const button = buttons.get(cellKey(cell))!
      setAttribute(button, 'aria-pressed', `${sameCell(cell, options)}`)
      showCell(button, outcomeKey(item.id, listFor(options, cell, limits)), state, item)
    }
  }
  return { element, show }
}
