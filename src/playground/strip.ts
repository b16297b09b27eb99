import type { OptionLimits, Options } from '../options/options.ts'
import { printOptions } from '../options/print.ts'
import { h, icon, setAttribute, setText } from './dom.ts'
import { ICONS } from './icons.ts'
import { formatBytes, formatChange } from './numbers.ts'
import type { Outcome } from './requests.ts'
import { outcomeKey, type SourceImage, type State } from './state.ts'

/** The row of thumbnails. */
export interface Strip {
  readonly element: HTMLElement
  readonly show: (state: State, options: Options | undefined) => void
}

interface Card {
  readonly element: HTMLElement
  readonly button: HTMLButtonElement
  readonly image: HTMLImageElement
  readonly summary: HTMLElement
}

/** Count and total bytes of the images with a result. */
export interface StripTotals {
  readonly done: number
  readonly before: number
  readonly after: number
}

/** Sums the bytes of the images with a result. */
export const addUp = (rows: readonly (readonly [item: SourceImage, outcome: Outcome | undefined])[]): StripTotals =>
  rows.reduce<StripTotals>(
    (sum, [item, outcome]) =>
      outcome?.kind === 'done' && !outcome.timedOut && item.bytes !== undefined
        ? { done: sum.done + 1, before: sum.before + item.bytes, after: sum.after + outcome.bytes }
        : sum,
    { done: 0, before: 0, after: 0 },
  )

const describeTotals = ({ done, before, after }: StripTotals, count: number): string =>
  done === 0
    ? `${count} images`
    : `${done === count ? count : `${done} of ${count}`} images · ${formatBytes(before)} → ${formatBytes(after)} · ${formatChange(before, after)}`

const describeItem = (item: SourceImage, outcome: Outcome | undefined): string => {
  if (item.refused !== undefined || outcome?.kind === 'refused') return 'refused'
  if (outcome === undefined) return '…'
  if (outcome.timedOut) return 'timed out'
  return item.bytes === undefined ? formatBytes(outcome.bytes) : formatChange(item.bytes, outcome.bytes)
}

/** Actions of the strip. */
interface StripActions {
  readonly select: (id: number) => void
  readonly remove: (id: number) => void
  readonly download: () => void
}

const makeCard = ({ id, name }: SourceImage, act: StripActions): Card => {
  const image = h('img', { alt: '', draggable: 'false' })
  const summary = h('span', { class: 'change' })
  const button = h(
    'button',
    { type: 'button', class: 'thumb', on: { click: () => act.select(id) } },
    h('span', { class: 'frame' }, image),
    h('span', { class: 'name', title: name }, name),
    summary,
  )
  const remove = h(
    'button',
    { type: 'button', class: 'remove', 'aria-label': `Remove ${name}`, on: { click: () => act.remove(id) } },
    icon(ICONS.close),
  )
  return { element: h('li', {}, button, remove), button, image, summary }
}

const showCard = (card: Card, item: SourceImage, outcome: Outcome | undefined, isSelected: boolean): void => {
  const summary = describeItem(item, outcome)
  if (item.shown !== undefined && card.image.getAttribute('src') !== item.shown.address)
    card.image.src = item.shown.address
  setAttribute(card.button, 'aria-current', isSelected && 'true')
  setAttribute(card.element, 'data-state', summary === 'refused' && 'refused')
  setText(card.summary, summary)
}

/** Creates a list with one card per image, in the order of their addition. */
const makeCards = (act: StripActions) => {
  const list = h('ul', {})
  const cards = new Map<number, Card>()
  return {
    list,
    removeOthers: (items: readonly SourceImage[]): void => {
      const present = new Set(items.map(({ id }) => id))
      for (const [id, card] of cards) {
        if (present.has(id)) continue
        card.element.remove()
        cards.delete(id)
      }
    },
    cardOf: (item: SourceImage): Card => {
      const card = cards.get(item.id) ?? makeCard(item, act)
      if (!cards.has(item.id)) list.append(card.element)
      cards.set(item.id, card)
      return card
    },
  }
}

/** Creates the row of thumbnails with totals. Shows it for two or more images. */
export const makeStrip = (limits: OptionLimits, act: StripActions): Strip => {
  const totals = h('p', { class: 'totals', role: 'status' })
  const download = h(
    'button',
    { type: 'button', class: 'button', on: { click: act.download } },
    icon(ICONS.download),
    'Download all',
  )
  const { list, removeOthers, cardOf } = makeCards(act)
  const element = h('section', { class: 'strip', 'aria-label': 'Images' }, h('header', {}, totals, download), list)
  const show: Strip['show'] = (state, options) => {
    setAttribute(element, 'hidden', state.items.length < 2)
    const listed = options === undefined ? '' : printOptions(options, limits)
    const rows = state.items.map((item) => [item, state.outcomes.get(outcomeKey(item.id, listed))] as const)
    removeOthers(state.items)
    for (const [item, outcome] of rows) showCard(cardOf(item), item, outcome, item.id === state.selected)
    const sum = addUp(rows)
    setText(totals, describeTotals(sum, rows.length))
    setAttribute(download, 'disabled', sum.done === 0)
  }
  return { element, show }
}
