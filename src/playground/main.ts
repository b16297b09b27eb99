/** The playground: everything on the page at the base address. */
import type { OptionLimits, Options } from '../options/options.ts'
import { printOptions } from '../options/print.ts'
import { askInsight, type Done } from './ask.ts'
import { seeCrop } from './crop-search.ts'
import { fill, h, setAttribute } from './dom.ts'
import { resultName, saveResults } from './download.ts'
import type { Edit } from './edits.ts'
import { FocusPicker } from './focus-picker.ts'
import { ImageCompare } from './image-compare.ts'
import { makeIntake } from './intake.ts'
import { makeListField } from './list-field.ts'
import { fillMasthead } from './masthead.ts'
import { makeMatrix } from './matrix.ts'
import { listFor, readList } from './reading.ts'
import { startRunner } from './runner.ts'
import { readSetup, type Setup } from './setup.ts'
import { makeSnippetCard } from './snippet-card.ts'
import type { SnippetRequest } from './snippets.ts'
import { makeStageCard } from './stage-card.ts'
import { makeStore, outcomeKey, type State, selectedItem, type TriedImage } from './state.ts'
import { makeStrip } from './strip.ts'
import { makeSwitches } from './switches.ts'

const setup: Setup = readSetup()
const limits: OptionLimits = { maxTimeout: setup.maxTimeout }

customElements.define('image-compare', ImageCompare)
customElements.define('focus-picker', FocusPicker)

const store = makeStore({
  account: setup.account,
  list: 'full',
  items: [],
  selected: undefined,
  outcomes: new Map(),
  running: new Set(),
  attention: new Map(),
  insights: new Map(),
  // An account has a quota, and each of these counts.
  compare: setup.account !== '',
  snippet: 'curl',
  away: false,
})

/** The options in force; while something wrong is being typed, the last good ones. */
let good: Options = readList('full', limits).options!

const edit = (change: Edit): void => store.set({ list: printOptions(change(good), limits) })

const doneOf = (state: State, item: TriedImage, list: string): Done | undefined => {
  const outcome = state.outcomes.get(outcomeKey(item.id, list))
  return outcome?.kind === 'done' ? outcome : undefined
}

const removeItem = (id: number): void => {
  const { items, selected } = store.get()
  const left = items.filter((item) => item.id !== id)
  store.set({ items: left, selected: selected === id ? left[0]?.id : selected })
}

const downloadAll = (): void => {
  const state = store.get()
  const list = printOptions(good, limits)
  const results = state.items.flatMap((item) => {
    const done = doneOf(state, item, list)
    return done === undefined ? [] : [[item.name, done] as const]
  })
  void saveResults(results)
}

const requestOf = (state: State, item: TriedImage | undefined, list: string): SnippetRequest | undefined => {
  if (item === undefined) return undefined
  const done = doneOf(state, item, list)
  const { origin, name } = item
  const { resize } = good
  const sides = resize.kind === 'box' && resize.width !== undefined && resize.height !== undefined ? resize : undefined
  return {
    base: setup.base,
    account: state.account === '' ? 'username' : state.account,
    list,
    image: 'url' in origin ? origin : { file: name },
    saveAs: done === undefined ? 'optimised.jpg' : `optimised-${resultName(name, done.type)}`,
    ...(sides !== undefined && sides.method.kind !== 'scale-down' && sides.method.kind !== 'fit'
      ? { shown: { width: sides.width!, height: sides.height! } }
      : {}),
  }
}

fillMasthead(store)
const intake = makeIntake(store, setup)
const strip = makeStrip(limits, {
  select: (selected) => store.set({ selected }),
  remove: removeItem,
  download: downloadAll,
})
const stage = makeStageCard(setup)
const matrix = makeMatrix(limits, {
  choose: (cell) => store.set({ list: listFor(good, cell, limits) }),
  compare: (compare) => store.set({ compare }),
})
const snippets = makeSnippetCard((snippet) => store.set({ snippet }))
const listField = makeListField((list) => store.set({ list }))
const switches = makeSwitches(edit, setup.maxTimeout)
const away = h('p', { class: 'away', role: 'alert', hidden: true })

const panel = h('aside', { class: 'card panel', 'aria-label': 'Options' }, listField.element, switches.element)
fill(
  document.querySelector('main')!,
  away,
  intake.element,
  h(
    'div',
    { class: 'bench' },
    h('div', { class: 'work' }, strip.element, stage.element, matrix.element, snippets.element),
    panel,
  ),
)

const isCropAuto = ({ resize }: Options): boolean =>
  resize.kind === 'box' && resize.method.kind === 'crop' && resize.method.focus.kind === 'auto'

/** Asks for faces and focus where `crop=auto` is wanted, once for each image. It counts as an image, as comparing does. */
const insightAsked = new Set<number>()
const lookForFaces = ({ account, compare }: State, item: TriedImage | undefined): void => {
  if (!isCropAuto(good) || !compare || item?.shown === undefined || insightAsked.has(item.id)) return
  insightAsked.add(item.id)
  void askInsight(setup, { account, origin: item.origin }).then(
    (insight) => insight && store.set({ insights: new Map(store.get().insights).set(item.id, insight) }),
    () => insightAsked.delete(item.id),
  )
}

/** Looks where `crop=auto` went, once for each result. */
const looked = new Set<string>()
const lookAtCrop = (state: State, item: TriedImage | undefined, list: string): void => {
  const done = item && doneOf(state, item, list)
  const key = item && outcomeKey(item.id, list)
  if (!isCropAuto(good) || done === undefined || key === undefined || item?.shown === undefined || looked.has(key))
    return
  looked.add(key)
  // The service tells; what it does not tell is found by looking.
  void (done.focus === undefined ? seeCrop(item.shown.address, done.address) : Promise.resolve(done.focus)).then(
    (at) => store.set({ attention: new Map(store.get().attention).set(key, at) }),
    () => undefined,
  )
}

const draw = (state: State): void => {
  const reading = readList(state.list, limits)
  good = reading.options ?? good
  const list = printOptions(good, limits)
  const item = selectedItem(state)
  const attention = item && state.attention.get(outcomeKey(item.id, list))
  setAttribute(document.body, 'data-empty', state.items.length === 0)
  setAttribute(away, 'hidden', !state.away)
  fill(away, state.away && 'The service does not answer. Work goes on by itself as soon as it is back.')
  intake.show(state.items.length === 0)
  strip.show(state, good)
  listField.show(state.list, reading)
  switches.show(good, { source: item?.shown, attention, insight: item && state.insights.get(item.id) })
  stage.show(state, item, { options: good, list })
  matrix.show(state, item, good)
  snippets.show(state.snippet, requestOf(state, item, list))
  lookAtCrop(state, item, list)
  lookForFaces(state, item)
}

store.watch(draw)
startRunner(store, setup, limits)
draw(store.get())
