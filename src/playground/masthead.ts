import { h, icon } from './dom.ts'
import { ICONS } from './icons.ts'
import type { Store } from './state.ts'

const THEMES = ['auto', 'light', 'dark'] as const

/** A button for the colours: light, dark, or the system's. */
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

/** The field for the account's access key. It is hidden for the account that the page starts with, which needs none. */
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
    // A key belongs to the account that it was typed for.
    if (store.get().accessKey === '') key.value = ''
  }
  show(initial)
  store.watch(({ account }) => show(account))
  return field
}

/** Fills the masthead of the server's page: the account, its key and the colours. */
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
      // Another account may succeed where this one was refused.
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
