import { h, icon } from './dom.ts'
import { ICONS } from './icons.ts'
import type { Store } from './state.ts'

const THEMES = ['auto', 'light', 'dark'] as const

/** Creates a button that switches the colours: the system's by default, light, or dark. */
const themeButton = (): HTMLElement => {
  let theme: (typeof THEMES)[number] = 'auto'
  const button = h('button', { type: 'button', class: 'icon-button', on: { click: () => turn() } }, icon(ICONS.light))
  const say = (): void => {
    button.title = `Colours: ${theme}`
    button.setAttribute('aria-label', `Colours: ${theme}. Change`)
    document.documentElement.dataset['theme'] = theme
  }
  const turn = (): void => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!
    say()
  }
  say()
  return button
}

/** Creates the field for the access key. Hides it for the initial account, which needs no key. */
const accessKeyField = (store: Store): HTMLElement => {
  const initial = store.get().account
  const key = h('input', {
    type: 'password',
    id: 'access-key',
    placeholder: 'if it needs one',
    autocomplete: 'off',
    on: { input: () => store.set({ accessKey: key.value.trim(), outcomes: new Map() }) },
  })
  const field = h('label', { class: 'account', for: 'access-key' }, h('span', {}, 'Key'), key)
  const show = (account: string): void => {
    field.hidden = account === initial
    // The state drops the key when the account changes.
    if (store.get().accessKey === '') key.value = ''
  }
  show(initial)
  store.watch(({ account }) => show(account))
  return field
}

/** Adds the fields for the account and its key, and the button for the colours, to the masthead of the page. */
export const fillMasthead = (store: Store): void => {
  const account = h('input', {
    type: 'text',
    id: 'account',
    value: store.get().account,
    placeholder: 'your account',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    on: {
      // A result that was refused for one account may succeed for another.
      input: () => store.set({ account: account.value.trim(), accessKey: '', outcomes: new Map() }),
    },
  })
  document
    .querySelector('.masthead')
    ?.append(
      h(
        'div',
        { class: 'masthead-end' },
        h('label', { class: 'account', for: 'account' }, h('span', {}, 'Account'), account),
        accessKeyField(store),
        themeButton(),
      ),
    )
}
