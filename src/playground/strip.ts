import type { OptionLimits, Options } from '../options/options.ts'
import { printOptions } from '../options/print.ts'
import type { Outcome } from './ask.ts'
import { h, icon, setAttribute, setText } from './dom.ts'
import { ICONS } from './icons.ts'
import { sayBytes, sayChange } from './numbers.ts'
import { outcomeKey, type SourceImage, type State } from './state.ts'

export interface Strip {
  readonly element: HTMLElement
  readonly show: (state: State, options: Options | undefined) => void
}

interface Card {
  readonly element: HTMLElement
  readonly button: HTMLButtonElement
  readonly image: HTMLImageElement
  readonly told: HTMLElement
}

/** Total bytes before and after, over the images with a result. */
export interface StripTotals {
  readonly done: number
  readonly before: number
  readonly after: number
}

/** Sums the images with a result. */
export const addUp = (rows: readonly (readonly [item: SourceImage, outcome: Outcome | undefined])[]): StripTotals =>
  rows.reduce<StripTotals>(
    (sum, [item, outcome]) =>
      outcome?.kind === 'done' && !outcome.timedOut && item.bytes !== undefined
        ? { done: sum.done + 1, before: sum.before + item.bytes, after: sum.after + outcome.bytes }
        : sum,
    { done: 0, before: 0, after: 0 },
  )

const sayTotals = ({ done, before, after }: StripTotals, count: number): string =>
  done === 0
    ? `${count} images`
    : `${done === count ? count : `${done} of ${count}`} images · ${sayBytes(before)} → ${sayBytes(after)} · ${sayChange(before, after)}`

const sayItem = (item: SourceImage, outcome: Outcome | undefined): string => {
  if (item.refused !== undefined || outcome?.kind === 'refused') return 'refused'
  if (outcome === undefined) return '…'
  if (outcome.timedOut) return 'timed out'
  return item.bytes === undefined ? sayBytes(outcome.bytes) : sayChange(item.bytes, outcome.bytes)
}

/** Actions of the strip. */
interface StripActions {
  readonly select: (id: number) => void
  readonly remove: (id: number) => void
  readonly download: () => void
}

const makeCard = ({ id, name }: SourceImage, act: StripActions): Card => {
  const image = h('img', { alt: '', draggable: 'false' })
  const told = h('span', { class: 'change' })
  const button = h(
    'button',
    { type: 'button', class: 'thumb', on: { click: () => act.select(id) } },
    h('span', { class: 'frame' }, image),
    h('span', { class: 'name', title: name }, name),
    told,
  )
  const remove = h(
    'button',
    { type: 'button', class: 'remove', 'aria-label': `Remove ${name}`, on: { click: () => act.remove(id) } },
    icon(ICONS.close),
  )
  return { element: h('li', {}, button, remove), button, image, told }
}

const showCard = (card: Card, item: SourceImage, outcome: Outcome | undefined, isSelected: boolean): void => {
  const told = sayItem(item, outcome)
  if (item.shown !== undefined && card.image.getAttribute('src') !== item.shown.address)
    card.image.src = item.shown.address
  setAttribute(card.button, 'aria-current', isSelected && 'true')
  setAttribute(card.element, 'data-state', told === 'refused' && 'refused')
  setText(card.told, told)
}

/** A list with one card per image, in the order of their addition. */
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

/** All images as a row of thumbnails, with totals. Shown for two or more images. */
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
    setText(totals, sayTotals(sum, rows.length))
    setAttribute(download, 'disabled', sum.done === 0)
  }
  return { element, show }
}
