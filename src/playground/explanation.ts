/** Script of the page that explains an address: copy buttons, and the source with its crop. */

import { h } from './dom.ts'
import { FocusPicker } from './focus-picker.ts'
import type { PreviewSetup } from './preview-setup.ts'
import { readList } from './reading.ts'
import { copyButton } from './snippet-card.ts'
import { loadImage } from './sources.ts'

customElements.define('focus-picker', FocusPicker)

for (const block of document.querySelectorAll('.copyable'))
  block.append(copyButton('Copy', () => block.querySelector('pre')?.textContent ?? ''))

const setup = JSON.parse(document.body.dataset['setup'] ?? '{}') as PreviewSetup

/** Loads the source and shows it in `container`. */
const showSource = async (container: Element, url: string): Promise<void> => {
  try {
    const image = await loadImage(url)
    const source = { address: url, width: image.naturalWidth, height: image.naturalHeight }
    const resize = setup.list === undefined ? undefined : readList(setup.list, setup).options?.resize
    const crops = resize?.kind === 'box' && resize.method.kind === 'crop'
    if (!crops) {
      image.alt = 'The source'
      image.className = 'source'
      container.append(image)
      return
    }
    const picker = new FocusPicker()
    picker.setAttribute('data-still', '')
    container.append(picker)
    picker.show(resize, source, {})
  } catch {
    container.append(
      h('p', { class: 'wrong' }, 'Your browser cannot show this image. The service may still be able to read it.'),
    )
  }
}

const preview = document.querySelector('.preview')
const { source } = setup
if (preview !== null && source !== undefined) {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button',
      on: {
        click: () => {
          button.remove()
          void showSource(preview, source)
        },
      },
    },
    'Show it here',
  )
  preview.append(button)
}
