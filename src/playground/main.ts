/** The playground: the page at the base address. */
import type { OptionLimits, Options } from '../options/options.ts'
import { printOptions } from '../options/print.ts'
import { followAccount } from './account-limits.ts'
import { locateCrop } from './crop-search.ts'
import { fill, h, setAttribute } from './dom.ts'
import { resultName, saveResults } from './download.ts'
import type { Edit } from './edits.ts'
import { FocusPicker } from './focus-picker.ts'
import { ImageCompare } from './image-compare.ts'
import { makeIntake } from './intake.ts'
import { makeListField } from './list-field.ts'
import { fillMasthead } from './masthead.ts'
import { makeMatrix } from './matrix.ts'
import { neededResults } from './needed-results.ts'
import { makePresetField, nameOfPreset } from './preset-field.ts'
import { listFor, readList } from './reading.ts'
import { type Done, type Outcome, requestInsight } from './requests.ts'
import { startRunner } from './runner.ts'
import { readSetup, type Setup } from './setup.ts'
import { makeSnippetCard } from './snippet-card.ts'
import type { SnippetRequest } from './snippets.ts'
import { reopen } from './sources.ts'
import { makeStageCard } from './stage-card.ts'
import { predictSize } from './stage-scene.ts'
import { makeStore, outcomeKey, type SourceImage, type State, selectedItem } from './state.ts'
import { makeStrip } from './strip.ts'
import { makeSwitches } from './switches.ts'

const setup: Setup = readSetup()

const NO_PRESETS: ReadonlyMap<string, string> = new Map()

customElements.define('image-compare', ImageCompare)
customElements.define('focus-picker', FocusPicker)

const store = makeStore({
  account: setup.account,
  accessKey: '',
  limits: { maxTimeout: setup.maxTimeout },
  list: 'full',
  items: [],
  selected: undefined,
  outcomes: new Map(),
  running: new Map(),
  attention: new Map(),
  insights: new Map(),
  compare: false,
  snippet: 'curl',
  isUnreachable: false,
})

/** The limits of the current account. */
const limits: OptionLimits = {
  get maxTimeout() {
    return store.get().limits.maxTimeout
  },
  get defaultMeta() {
    return store.get().limits.defaultMeta ?? 'none'
  },
  get presets() {
    return store.get().limits.presets ?? NO_PRESETS
  },
}

/** The current options, or the last valid ones while the list is invalid. */
let lastValid: Options = readList('full', limits).options!

const edit = (change: Edit): void => store.set({ list: printOptions(change(lastValid), limits) })

const doneOf = (state: State, item: SourceImage, list: string): Done | undefined => {
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
  const list = printOptions(lastValid, limits)
  const results = state.items.flatMap((item) => {
    const done = doneOf(state, item, list)
    return done === undefined ? [] : [[item.name, done] as const]
  })
  void saveResults(results)
}

const requestOf = (state: State, item: SourceImage | undefined, list: string): SnippetRequest | undefined => {
  if (item === undefined) return undefined
  const done = doneOf(state, item, list)
  const { origin, name } = item
  const density = lastValid.resize.kind === 'box' ? lastValid.resize.density : 1
  const px =
    item.shown === undefined
      ? undefined
      : predictSize({ item: { ...item, shown: item.shown }, options: lastValid }, setup)
  return {
    base: setup.base,
    account: state.account === '' ? 'username' : state.account,
    needsKey: state.accessKey !== '',
    list,
    image: 'url' in origin ? origin : { file: name },
    saveAs: done === undefined ? 'optimised.jpg' : `optimised-${resultName(name, done.type)}`,
    ...(px === undefined
      ? {}
      : { shown: { width: Math.round(px.width / density), height: Math.round(px.height / density) } }),
  }
}

fillMasthead(store)
const intake = makeIntake(store, setup)
const strip = makeStrip(limits, {
  select: (selected) => store.set({ selected }),
  remove: removeItem,
  download: downloadAll,
})
const cancelled: Outcome = { kind: 'refused', status: 0, text: 'Cancelled.' }
const setOutcome = (key: string, outcome: Outcome | undefined): void => {
  const outcomes = new Map(store.get().outcomes)
  if (outcome === undefined) outcomes.delete(key)
  else outcomes.set(key, outcome)
  store.set({ outcomes })
}
const retry = (item: SourceImage, key: string): void => {
  setOutcome(key, undefined)
  if (item.refused !== undefined) reopen(store, setup, item)
}
const stage = makeStageCard(setup, {
  cancel: (key) => setOutcome(key, cancelled),
  retry,
  remove: removeItem,
  queuePosition: (key) => neededResults(store.get(), limits).findIndex((one) => one.key === key),
})
const matrix = makeMatrix(limits, {
  choose: (cell) => store.set({ list: listFor(lastValid, cell, limits) }),
  compare: (compare) => store.set({ compare }),
})
const snippets = makeSnippetCard((snippet) => store.set({ snippet }))
const listField = makeListField((list) => store.set({ list }))
const presetField = makePresetField((name) => store.set({ list: `preset=${name}` }))
const switches = makeSwitches(edit, setup.maxTimeout)
const outage = h('p', { class: 'notice', role: 'alert', hidden: true })

switches.element.prepend(presetField.element)
const panel = h('aside', { class: 'card panel', 'aria-label': 'Options' }, listField.element, switches.element)
fill(
  document.querySelector('main')!,
  outage,
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

/** Requests faces and focus once per image with `crop=auto`. Only for the initial account, which has no quota: each request costs the quota one image. */
const requestedInsights = new Set<number>()
const updateInsight = ({ account, accessKey }: State, item: SourceImage | undefined): void => {
  const isFree = account !== '' && account === setup.account
  if (!isCropAuto(lastValid) || !isFree || item?.shown === undefined || requestedInsights.has(item.id)) return
  requestedInsights.add(item.id)
  void requestInsight(setup, { account, accessKey, origin: item.origin }).then(
    (insight) => insight && store.set({ insights: new Map(store.get().insights).set(item.id, insight) }),
    () => requestedInsights.delete(item.id),
  )
}

/** Determines the focus of `crop=auto` once per result: from `X-Focus`, otherwise by comparing pixels. */
const locatedCrops = new Set<string>()
const updateAttention = (state: State, item: SourceImage | undefined, list: string): void => {
  const done = item && doneOf(state, item, list)
  const key = item && outcomeKey(item.id, list)
  if (
    !isCropAuto(lastValid) ||
    done === undefined ||
    key === undefined ||
    item?.shown === undefined ||
    locatedCrops.has(key)
  )
    return
  locatedCrops.add(key)
  void (done.focus === undefined ? locateCrop(item.shown.address, done.address) : Promise.resolve(done.focus)).then(
    (at) => store.set({ attention: new Map(store.get().attention).set(key, at) }),
    () => undefined,
  )
}

const draw = (state: State): void => {
  const reading = readList(state.list, limits)
  lastValid = reading.options ?? lastValid
  const list = printOptions(lastValid, limits)
  const item = selectedItem(state)
  const attention = item && state.attention.get(outcomeKey(item.id, list))
  setAttribute(document.body, 'data-empty', state.items.length === 0)
  setAttribute(outage, 'hidden', !state.isUnreachable)
  fill(outage, state.isUnreachable && 'The service does not respond. The page continues as soon as it is back.')
  intake.show(state.items.length === 0)
  strip.show(state, lastValid)
  listField.show(state.list, reading)
  presetField.show(limits.presets ?? NO_PRESETS, state.list)
  switches.show(lastValid, { source: item?.shown, attention, insight: item && state.insights.get(item.id) })
  stage.show(state, item, { options: lastValid, list })
  matrix.show(state, item, lastValid)
  const request = requestOf(state, item, list)
  const namesPreset = nameOfPreset(state.list) !== '' && reading.options !== undefined
  snippets.show(state.snippet, request && namesPreset ? { ...request, list: reading.sent } : request)
  updateAttention(state, item, list)
  updateInsight(state, item)
}

store.watch(draw)
followAccount(store, setup)
startRunner(store, setup, limits)
draw(store.get())
