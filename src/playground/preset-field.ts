import { CONTROL_GROUPS } from './controls.ts'
import { fill, h, setAttribute } from './dom.ts'

/** The drop-down list of an account's presets. */
export interface PresetField {
  readonly element: HTMLElement
  /** Shows the presets, and selects the one in the option list. Hides itself for an account without presets. */
  readonly show: (presets: ReadonlyMap<string, string>, list: string) => void
}

/** Returns the name of the preset in an option list, in lower case, or an empty text without one. */
export const nameOfPreset = (list: string): string => /(?:^|,)\s*preset=([^,\s]*)/i.exec(list)?.[1]?.toLowerCase() ?? ''

/** Creates the drop-down list. `choose` receives the name of the selected preset. */
export const makePresetField = (choose: (name: string) => void): PresetField => {
  const { title, help } = CONTROL_GROUPS.preset
  const input = h('select', { 'aria-label': title, on: { change: () => input.value !== '' && choose(input.value) } })
  const element = h('fieldset', { hidden: true }, h('legend', {}, title), input, h('p', { class: 'help' }, help))
  let shown = ''
  return {
    element,
    show: (presets, list) => {
      setAttribute(element, 'hidden', presets.size === 0)
      const names = JSON.stringify([...presets])
      if (names !== shown) {
        shown = names
        const options = [...presets].map(([name, meaning]) => h('option', { value: name }, `${name}: ${meaning}`))
        fill(input, h('option', { value: '' }, 'none'), ...options)
      }
      input.value = presets.has(nameOfPreset(list)) ? nameOfPreset(list) : ''
    },
  }
}
