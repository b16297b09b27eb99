import { h, setAttribute } from './dom.ts'

/** A control that shows a value and reports changes by the user. */
export interface Control<Value> {
  readonly element: HTMLElement
  /** Shows a value. `enabled` says whether the user can change it; true by default. */
  readonly show: (value: Value, enabled?: boolean) => void
}

/** A choice: its value, label and optional explanation. */
export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly help?: string
}

let groups = 0

/** Creates radio buttons: side by side by default, or as a `list` with explanations. */
export const radios = <Value extends string>(
  label: string,
  choices: readonly Choice<Value>[],
  change: (value: Value) => void,
  look: 'segmented' | 'list' = 'segmented',
): Control<Value | undefined> => {
  groups += 1
  const name = `choice-${groups}`
  const inputs = choices.map((choice) =>
    h('input', { type: 'radio', name, value: choice.value, on: { change: () => change(choice.value) } }),
  )
  const labels = choices.map((choice, at) =>
    h(
      'label',
      { class: 'choice' },
      inputs[at]!,
      h('span', {}, choice.label, choice.help !== undefined && h('small', { class: 'help' }, choice.help)),
    ),
  )
  const element = h('div', { class: look, role: 'radiogroup', 'aria-label': label }, ...labels)
  return {
    element,
    show: (value, enabled = true) => {
      for (const input of inputs) {
        input.checked = input.value === value
        input.disabled = !enabled
      }
    },
  }
}

/** Creates a field for a number. An empty or invalid field reports undefined. */
export const numberField = (
  label: string,
  { min, max, unit, step = 1 }: { min: number; max: number; unit: string; step?: number },
  change: (value: number | undefined) => void,
): Control<number | undefined> => {
  const input = h('input', {
    type: 'number',
    min,
    max,
    step,
    inputmode: 'decimal',
    placeholder: 'any',
    on: { input: () => change(input.value === '' || !input.validity.valid ? undefined : Number(input.value)) },
  })
  return {
    element: h(
      'label',
      { class: 'field' },
      h('span', {}, label),
      h('span', { class: 'with-unit' }, input, h('i', {}, unit)),
    ),
    show: (value, enabled = true) => {
      input.disabled = !enabled
      // Replacing the value would disturb the user who types it.
      if (document.activeElement !== input) input.value = value === undefined ? '' : String(value)
    },
  }
}

/** Creates a switch. */
export const toggle = (label: string, change: (on: boolean) => void): Control<boolean> => {
  const input = h('input', { type: 'checkbox', role: 'switch', on: { change: () => change(input.checked) } })
  return {
    element: h('label', { class: 'toggle' }, input, h('span', {}, label)),
    show: (on, enabled = true) => {
      input.checked = on
      input.disabled = !enabled
    },
  }
}

/** Creates a field for a colour, as `#rrggbb`. */
export const colourField = (label: string, change: (hex: string) => void): Control<string> => {
  const input = h('input', { type: 'color', on: { input: () => change(input.value) } })
  return {
    element: h('label', { class: 'colour' }, input, h('span', {}, label)),
    show: (value, enabled = true) => {
      input.disabled = !enabled
      if (input.value !== value) input.value = value
    },
  }
}

/** Creates a drop-down list. */
export const select = <Value extends string>(
  label: string,
  choices: readonly Choice<Value>[],
  change: (value: Value) => void,
): Control<Value> => {
  const input = h(
    'select',
    { 'aria-label': label, on: { change: () => change(input.value as Value) } },
    ...choices.map((choice) => h('option', { value: choice.value }, choice.label)),
  )
  return {
    element: input,
    show: (value, enabled = true) => {
      input.value = value
      setAttribute(input, 'disabled', !enabled)
    },
  }
}
