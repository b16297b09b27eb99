import { fill, h, setAttribute } from './dom.ts'
import type { ListReading } from './reading.ts'

export interface ListField {
  readonly element: HTMLElement
  readonly show: (typed: string, reading: ListReading) => void
}

const KIND_CLASSES = { right: 'right', 'slightly wrong': 'slight', wrong: 'wrong', empty: 'slight' } as const

/** The option list as text, with the reading of each item, its Warnings, or the reason for refusal. */
export const makeListField = (change: (typed: string) => void): ListField => {
  const input = h('input', {
    id: 'list',
    type: 'text',
    spellcheck: 'false',
    autocomplete: 'off',
    autocapitalize: 'off',
    'aria-describedby': 'list-told',
    on: { input: () => change(input.value) },
  })
  const items = h('ul', { class: 'chips', 'aria-label': 'How each option is read' })
  const told = h('div', { id: 'list-told', class: 'told', role: 'status' })
  let shown = ''
  return {
    element: h('div', { class: 'list-field' }, h('label', { for: 'list' }, 'Option list'), input, items, told),
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
      fill(told, ...texts.map((text) => h('p', { class: reading.problem === undefined ? 'slight' : 'wrong' }, text)))
    },
  }
}
