import { h, icon, setAttribute, setText } from './dom.ts'
import { ICONS } from './icons.ts'
import { SNIPPETS, type SnippetName, type SnippetRequest } from './snippets.ts'

/** The card with code for programs. */
export interface SnippetCard {
  readonly element: HTMLElement
  readonly show: (name: SnippetName, request: SnippetRequest | undefined) => void
}

const NAMES = Object.keys(SNIPPETS) as SnippetName[]

/** Creates a button that copies a text and confirms it for a moment. */
export const copyButton = (label: string, text: () => string): HTMLButtonElement => {
  const caption = h('span', {}, label)
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button',
      on: {
        click: () =>
          void navigator.clipboard.writeText(text()).then(
            () => flash('Copied', ICONS.check),
            () => flash('Select and copy by hand', ICONS.copy),
          ),
      },
    },
    icon(ICONS.copy),
    caption,
  )
  const flash = (words: string, sign: string): void => {
    setText(caption, words)
    button.firstElementChild?.replaceWith(icon(sign))
    setTimeout(() => {
      setText(caption, label)
      button.firstElementChild?.replaceWith(icon(ICONS.copy))
    }, 1600)
  }
  return button
}

/** Creates the card. The user selects a language with the mouse or the arrow keys. */
export const makeSnippetCard = (choose: (name: SnippetName) => void): SnippetCard => {
  const code = h('code', {})
  const pane = h('pre', { role: 'tabpanel', id: 'snippet', tabindex: '0' }, code)
  const tabs = NAMES.map((name) =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': 'snippet',
        on: { click: () => choose(name), keydown: (event) => move(event as KeyboardEvent, name) },
      },
      SNIPPETS[name].title,
    ),
  )
  const move = (event: KeyboardEvent, name: SnippetName): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = (NAMES.indexOf(name) + step + NAMES.length) % NAMES.length
    choose(NAMES[at]!)
    tabs[at]!.focus()
  }
  const element = h(
    'section',
    { class: 'card snippets', 'aria-labelledby': 'snippets-title' },
    h(
      'header',
      {},
      h('h2', { id: 'snippets-title' }, 'From your program'),
      copyButton('Copy', () => code.textContent ?? ''),
    ),
    h('div', { class: 'tabs', role: 'tablist', 'aria-labelledby': 'snippets-title' }, ...tabs),
    pane,
  )
  return {
    element,
    show: (name, request) => {
      setAttribute(element, 'hidden', request === undefined)
      if (request === undefined) return
      for (const [at, tab] of tabs.entries()) {
        setAttribute(tab, 'aria-selected', `${NAMES[at] === name}`)
        tab.tabIndex = NAMES[at] === name ? 0 : -1
      }
      setAttribute(pane, 'aria-labelledby', `tab-${name}`)
      setText(code, SNIPPETS[name].write(request))
    },
  }
}
