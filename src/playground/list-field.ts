import { fill, h, setAttribute } from './dom.ts'
import type { ListReading } from './reading.ts'

/** The text field of the option list. */
export interface ListField {
  readonly element: HTMLElement
  readonly show: (typed: string, reading: ListReading) => void
}

const KIND_CLASSES = { right: 'right', 'slightly wrong': 'slight', wrong: 'wrong', empty: 'slight' } as const

/** Creates the field. It shows the meaning of each item, and the Warnings or the reason of a refusal. */
export const makeListField = (change: (typed: string) => void): ListField => {
  const input = h('input', {
    id: 'list',
    type: 'text',
    spellcheck: 'false',
    autocomplete: 'off',
    autocapitalize: 'off',
    'aria-describedby': 'list-messages',
    on: { input: () => change(input.value) },
  })
  const items = h('ul', { class: 'chips', 'aria-label': 'Meaning of each option' })
  const messages = h('div', { id: 'list-messages', class: 'messages', role: 'status' })
  let shown = ''
  return {
    element: h('div', { class: 'list-field' }, h('label', { for: 'list' }, 'Option list'), input, items, messages),
    show: (typed, reading) => {
      if (input.value !== typed) input.value = typed
      setAttribute(input, 'aria-invalid', reading.problem !== undefined && 'true')
      const key = JSON.stringify([reading.items, reading.warnings, reading.problem])
      if (key === shown) return
      shown = key
      fill(
        items,
        ...reading.items.map(({ item, kind, meaning }) =>
          h('li', { class: `chip ${KIND_CLASSES[kind]}` }, h('code', {}, item), ` ${meaning}`),
        ),
      )
      const texts = reading.problem === undefined ? reading.warnings : [reading.problem]
      fill(
        messages,
        ...texts.map((text) => h('p', { class: reading.problem === undefined ? 'slight' : 'wrong' }, text)),
      )
    },
  }
}
