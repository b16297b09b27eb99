import { ask } from './ask.ts'
import { sayBytes } from './numbers.ts'
import type { Setup } from './setup.ts'
import { changeItem, type Shown, type SourceImage, type Store } from './state.ts'

/** Options for showing a source that the browser cannot read or fetch: the service recompresses it losslessly. */
const WITHOUT_LOSS = 'full,quality=lossless,timeout=10'

/** Loads an image. Rejects when the browser cannot read it. */
export const loadImage = async (address: string): Promise<HTMLImageElement> => {
  const image = new Image()
  image.src = address
  await image.decode()
  return image
}

const shownAt = async (address: string): Promise<Shown> => {
  const { naturalWidth, naturalHeight } = await loadImage(address)
  // An SVG without its own size reports 0.
  return { address, width: naturalWidth || 300, height: naturalHeight || 150 }
}

const throughService = async (store: Store, setup: Setup, item: SourceImage): Promise<Partial<SourceImage>> => {
  const { account, accessKey } = store.get()
  const outcome = await ask(
    setup,
    { account, accessKey, list: WITHOUT_LOSS, origin: item.origin },
    AbortSignal.timeout(60_000),
  )
  if (outcome.kind === 'refused') return { refused: outcome.text }
  const bytes = outcome.sourceBytes ?? item.bytes
  return { shown: await shownAt(outcome.address), ...(bytes === undefined ? {} : { bytes }) }
}

const open = async (store: Store, setup: Setup, item: SourceImage): Promise<Partial<SourceImage>> => {
  if ('url' in item.origin) return throughService(store, setup, item)
  const address = URL.createObjectURL(item.origin.file)
  try {
    return { shown: await shownAt(address) }
  } catch {
    URL.revokeObjectURL(address)
    return throughService(store, setup, item)
  }
}

/** Shows a source, or sets the reason why that is impossible on its item. */
export const showSource = async (store: Store, setup: Setup, item: SourceImage): Promise<void> => {
  try {
    changeItem(store, item.id, await open(store, setup, item))
  } catch {
    changeItem(store, item.id, { refused: 'This image cannot be shown here: the service does not answer.' })
  }
}

let lastId = 0

/** File name in an address. */
export const nameInAddress = (url: string): string => {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '') || new URL(url).hostname
  } catch {
    return url
  }
}

const tooHeavy = ({ bytes = 0 }: { readonly bytes?: number }, { maxBytes }: Setup): { readonly refused?: string } =>
  bytes > maxBytes
    ? {
        refused: `This file has ${sayBytes(bytes)}, and at most ${sayBytes(maxBytes)} are accepted. It was not uploaded.`,
      }
    : {}

/** Tries to show an image again. */
export const reopen = (store: Store, setup: Setup, { refused: _refused, ...item }: SourceImage): void => {
  const opened: SourceImage = { ...item, ...tooHeavy(item, setup) }
  store.set({ items: store.get().items.map((one) => (one.id === item.id ? opened : one)) })
  if (opened.refused === undefined) void showSource(store, setup, opened)
}

/** Adds images, and selects the first one. */
export const addItems = (
  store: Store,
  setup: Setup,
  added: readonly (Pick<SourceImage, 'name' | 'origin'> & { readonly bytes?: number })[],
): void => {
  const items: SourceImage[] = added.map((item) => {
    lastId += 1
    return { ...item, id: lastId, ...tooHeavy(item, setup) }
  })
  const [first] = items
  if (first === undefined) return
  store.set({ items: [...store.get().items, ...items], selected: first.id })
  for (const item of items) if (item.refused === undefined) void showSource(store, setup, item)
}
