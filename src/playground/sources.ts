import { decodePercent } from '../core/decode-percent.ts'
import { formatBytes } from './numbers.ts'
import { requestResult } from './requests.ts'
import type { Setup } from './setup.ts'
import { changeItem, type Shown, type SourceImage, type Store } from './state.ts'

/** Options for a lossless copy of a source that the browser cannot read or fetch. */
const WITHOUT_LOSS = 'full,quality=lossless,timeout=10'

/** Loads an image. Fails if the browser cannot decode it. */
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

const loadThroughService = async (store: Store, setup: Setup, item: SourceImage): Promise<Partial<SourceImage>> => {
  const { account, accessKey } = store.get()
  const outcome = await requestResult(
    setup,
    { account, accessKey, list: WITHOUT_LOSS, origin: item.origin },
    AbortSignal.timeout(60_000),
  )
  if (outcome.kind === 'refused') return { refused: outcome.text }
  const bytes = outcome.sourceBytes ?? item.bytes
  return { shown: await shownAt(outcome.address), ...(bytes === undefined ? {} : { bytes }) }
}

const open = async (store: Store, setup: Setup, item: SourceImage): Promise<Partial<SourceImage>> => {
  if ('url' in item.origin) return loadThroughService(store, setup, item)
  const address = URL.createObjectURL(item.origin.file)
  try {
    return { shown: await shownAt(address) }
  } catch {
    URL.revokeObjectURL(address)
    return loadThroughService(store, setup, item)
  }
}

/** Loads a source and stores it in the state, or stores the reason why it cannot be shown. */
export const showSource = async (store: Store, setup: Setup, item: SourceImage): Promise<void> => {
  try {
    changeItem(store, item.id, await open(store, setup, item))
  } catch {
    changeItem(store, item.id, { refused: 'This image cannot be shown here: the service does not answer.' })
  }
}

let lastId = 0

/**
 * Returns the file name in an address, or its host without one. Path separators and control characters become `-`: the name is that of a
 * file in an archive, and stands in commands that users paste into a terminal.
 */
export const nameInAddress = (url: string): string => {
  const { pathname, hostname } = URL.canParse(url) ? new URL(url) : { pathname: url, hostname: '' }
  const segment = pathname.split('/').at(-1) ?? ''
  const name = (decodePercent(segment) ?? segment).replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, '-')
  return name || hostname || 'image'
}

const tooHeavy = ({ bytes = 0 }: { readonly bytes?: number }, { maxBytes }: Setup): { readonly refused?: string } =>
  bytes > maxBytes
    ? {
        refused: `This file has ${formatBytes(bytes)}. The limit is ${formatBytes(maxBytes)}. It was not uploaded.`,
      }
    : {}

/** Loads a source again after a failure. */
export const reopen = (store: Store, setup: Setup, { refused: _refused, ...item }: SourceImage): void => {
  const opened: SourceImage = { ...item, ...tooHeavy(item, setup) }
  store.set({ items: store.get().items.map((one) => (one.id === item.id ? opened : one)) })
  if (opened.refused === undefined) void showSource(store, setup, opened)
}

/** Adds images to the state, selects the first new one, and loads all of them. */
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
