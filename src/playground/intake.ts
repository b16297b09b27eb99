import { h, icon, setAttribute } from './dom.ts'
import { ICONS } from './icons.ts'
import type { Setup } from './setup.ts'
import { addItems, nameInAddress } from './sources.ts'
import type { Store } from './state.ts'

/** The controls that add images. */
export interface Intake {
  readonly element: HTMLElement
  /** Shows the controls large on an empty page, small otherwise. */
  readonly show: (isEmpty: boolean) => void
}

type AddFiles = (files: Iterable<File>) => void

const itemsOf = (files: Iterable<File>) =>
  [...files].map((file) => ({ name: file.name || 'pasted.png', origin: { file }, bytes: file.size }))

/** Returns all dropped files, including those in folders. */
const droppedFiles = async (transfer: DataTransfer): Promise<File[]> => {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  return entries.length === 0 ? [...transfer.files] : (await Promise.all(entries.map(filesOf))).flat()
}

const filesOf = async (entry: FileSystemEntry): Promise<File[]> => {
  if (entry.isFile)
    return [await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed))]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: File[] = []
  for (;;) {
    // A reader returns up to a hundred entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (some.length === 0) return files
    files.push(...(await Promise.all(some.map(filesOf))).flat())
  }
}

/** Creates a file input, and the button that opens its dialogue. */
const makePicker = (addFiles: AddFiles): readonly [button: HTMLElement, picker: HTMLElement] => {
  const picker = h('input', {
    type: 'file',
    multiple: true,
    class: 'visually-hidden',
    tabindex: '-1',
    'aria-hidden': 'true',
    on: {
      change: () => {
        addFiles(picker.files ?? [])
        picker.value = ''
      },
    },
  })
  const choose = h(
    'button',
    { type: 'button', class: 'button primary', on: { click: () => picker.click() } },
    icon(ICONS.plus),
    'Choose images',
  )
  return [choose, picker]
}

const makeAddressForm = (addUrl: (url: string) => void): HTMLElement => {
  const address = h('input', {
    type: 'url',
    name: 'address',
    required: true,
    placeholder: 'https://example.com/photo.jpg',
    'aria-label': 'Address of an image',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const submit = (event: Event): void => {
    event.preventDefault()
    addUrl(address.value.trim())
    address.value = ''
  }
  return h(
    'form',
    { class: 'address', on: { submit } },
    address,
    h('button', { type: 'submit', class: 'button' }, 'Fetch'),
  )
}

const makeSample = (setup: Setup, addFiles: AddFiles): HTMLElement => {
  const click = async (): Promise<void> => {
    const blob = await (await fetch(`${setup.path}/-/page/sample.png`)).blob()
    addFiles([new File([blob], 'sample.png', { type: 'image/png' })])
  }
  return h('button', { type: 'button', class: 'link', on: { click } }, 'Try it with our photograph')
}

/** Handles pasted files. Also handles an address that is pasted outside of a text field. */
const watchPastes = (addFiles: AddFiles, addUrl: (url: string) => void): void =>
  window.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length > 0) return addFiles(files)
    if (event.target instanceof HTMLInputElement) return
    const text = event.clipboardData?.getData('text/plain').trim() ?? ''
    if (/^https?:\/\/\S+$/i.test(text)) addUrl(text)
  })

/** Creates the controls that add images: file dialogue, drag and drop, paste, and address. */
export const makeIntake = (store: Store, setup: Setup): Intake => {
  const addFiles: AddFiles = (files) => addItems(store, setup, itemsOf(files))
  const addUrl = (url: string): void => addItems(store, setup, [{ name: nameInAddress(url), origin: { url } }])
  const element = h(
    'section',
    { class: 'intake', 'aria-label': 'Add images' },
    h('h1', {}, 'Images as small as they can be,', h('br'), 'at a quality you can count on.'),
    h(
      'p',
      { class: 'lead' },
      'Drop images anywhere, paste them, or enter the address of one. The page sends them to this server only.',
    ),
    h('div', { class: 'ways' }, ...makePicker(addFiles), makeAddressForm(addUrl)),
    h('p', { class: 'sample' }, makeSample(setup, addFiles)),
  )
  watchDrops(addFiles)
  watchPastes(addFiles, addUrl)
  return { element, show: (isEmpty) => setAttribute(element, 'data-small', !isEmpty) }
}

const watchDrops = (addFiles: AddFiles): void => {
  let depth = 0
  const mark = (): void => setAttribute(document.body, 'data-dropping', depth > 0)
  window.addEventListener('dragenter', (event) => {
    event.preventDefault()
    depth += 1
    mark()
  })
  window.addEventListener('dragleave', () => {
    depth -= 1
    mark()
  })
  window.addEventListener('dragover', (event) => event.preventDefault())
  window.addEventListener('drop', (event) => {
    event.preventDefault()
    depth = 0
    mark()
    if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then(addFiles)
  })
}
