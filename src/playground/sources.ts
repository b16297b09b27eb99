import { ask } from './ask.ts'
import type { Setup } from './setup.ts'
import { changeItem, type Shown, type Store, type TriedImage } from './state.ts'

/** What shows a source that the browser cannot read itself, or may not fetch: the service stores it anew, without loss. */
const WITHOUT_LOSS = 'full,quality=lossless,timeout=10'

/** Loads an image; rejects when the browser cannot read it. */
export const loadImage = async (address: string): Promise<HTMLImageElement> => {
  const image = new Image()
  image.src = address
  await image.decode()
  return image
}

const shownAt = async (address: string): Promise<Shown> => {
  const { naturalWidth, naturalHeight } = await loadImage(address)
  // An SVG without a size of its own has none here.
  return { address, width: naturalWidth || 300, height: naturalHeight || 150 }
}

const throughService = async (store: Store, setup: Setup, item: TriedImage): Promise<Partial<TriedImage>> => {
  const { account } = store.get()
  const outcome = await ask(setup, { account, list: WITHOUT_LOSS, origin: item.origin }, AbortSignal.timeout(60_000))
  if (outcome.kind === 'refused') return { refused: outcome.text }
  const bytes = outcome.sourceBytes ?? item.bytes
  return { shown: await shownAt(outcome.address), ...(bytes === undefined ? {} : { bytes }) }
}

const open = async (store: Store, setup: Setup, item: TriedImage): Promise<Partial<TriedImage>> => {
  if ('url' in item.origin) return throughService(store, setup, item)
  const address = URL.createObjectURL(item.origin.file)
  try {
    return { shown: await shownAt(address) }
  } catch {
    URL.revokeObjectURL(address)
    return throughService(store, setup, item)
  }
}

/** Makes a source visible, or says on its item why that is impossible. */
export const showSource = async (store: Store, setup: Setup, item: TriedImage): Promise<void> => {
  try {
    changeItem(store, item.id, await open(store, setup, item))
  } catch {
    changeItem(store, item.id, { refused: 'This image cannot be shown here: the service does not answer.' })
  }
}

let lastId = 0

/** Name of the file that an address leads to. */
export const nameInAddress = (url: string): string => {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '') || new URL(url).hostname
  } catch {
    return url
  }
}

/** Adds images; the first one goes on the stage. */
export const addItems = (
  store: Store,
  setup: Setup,
  added: readonly (Pick<TriedImage, 'name' | 'origin'> & { readonly bytes?: number })[],
): void => {
  const items: TriedImage[] = added.map((item) => {
    lastId += 1
    return { ...item, id: lastId }
  })
  const [first] = items
  if (first === undefined) return
  store.set({ items: [...store.get().items, ...items], selected: first.id })
  for (const item of items) void showSource(store, setup, item)
}
