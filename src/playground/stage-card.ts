import type { Extent } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { solveGeometry } from '../plan/geometry.ts'
import type { Done, Outcome } from './ask.ts'
import { fill, h, icon, setAttribute, setText } from './dom.ts'
import { saveResult } from './download.ts'
import { ICONS } from './icons.ts'
import { ImageCompare } from './image-compare.ts'
import { nameOfType } from './matrix.ts'
import { sayBytes, sayChange, saySeconds } from './numbers.ts'
import { placeSource } from './place.ts'
import type { Setup } from './setup.ts'
import { loadImage } from './sources.ts'
import { outcomeKey, type State, type TriedImage } from './state.ts'

export interface StageCard {
  readonly element: HTMLElement
  /** Shows an item as the (canonical) option list makes it; absent while the list is refused. */
  readonly show: (
    state: State,
    item: TriedImage | undefined,
    wanted: { options: Options; list: string } | undefined,
  ) => void
}

const videoSize = async (address: string): Promise<Extent> => {
  const video = h('video', { src: address, preload: 'metadata', muted: true })
  await new Promise((done, failed) => {
    video.addEventListener('loadedmetadata', done, { once: true })
    video.addEventListener('error', failed, { once: true })
  })
  return { width: video.videoWidth, height: video.videoHeight }
}

const imageSize = async (address: string): Promise<Extent> => {
  const { naturalWidth, naturalHeight } = await loadImage(address)
  return { width: naturalWidth || 300, height: naturalHeight || 150 }
}

const isVideo = ({ type }: Done): boolean => type.startsWith('video/')

/** A number with what it counts. */
const fact = (label: string, value: string): HTMLElement => h('div', {}, h('dt', {}, label), h('dd', {}, value))

const factsOf = (item: TriedImage, outcome: Done): HTMLElement[] => [
  ...(item.bytes === undefined ? [] : [fact('Source', sayBytes(item.bytes))]),
  fact(nameOfType(outcome.type), sayBytes(outcome.bytes)),
  ...(outcome.score === undefined ? [] : [fact('SSIMULACRA 2.1', outcome.score.toFixed(1))]),
  ...(outcome.butteraugli === undefined ? [] : [fact('Butteraugli', outcome.butteraugli.toFixed(2))]),
  fact('Time', saySeconds(outcome.ms)),
  ...(outcome.quotaRemaining === undefined ? [] : [fact('Left of the quota', String(outcome.quotaRemaining))]),
]

/** The stage with the name of the image, what was saved, and a download. */
export const makeStageCard = (setup: Setup): StageCard => {
  const compare = new ImageCompare()
  const title = h('h2', {})
  const change = h('strong', { class: 'saved' })
  const facts = h('dl', { class: 'facts' })
  const warnings = h('div', { class: 'told', role: 'status' })
  const download = h('button', { type: 'button', class: 'button primary' }, icon(ICONS.download), 'Download')
  const element = h(
    'section',
    { class: 'card stage-card', 'aria-label': 'Source and result' },
    h('header', {}, h('div', { class: 'title' }, title, change), facts, download),
    compare,
    warnings,
  )
  let current: { item: TriedImage; outcome: Done } | undefined
  download.addEventListener('click', () => current && saveResult(current.item.name, current.outcome))
  const sizes = new Map<string, Extent>()

  const predicted = (item: TriedImage, options: Options): Extent =>
    solveGeometry({
      resize: options.resize,
      source: item.shown!,
      limits: { maxSide: setup.maxSide, maxPixels: setup.maxPixels },
      ...(item.shown!.trimmed === undefined ? {} : { trimmed: item.shown!.trimmed }),
    }).output

  const scene = (
    state: State,
    item: TriedImage,
    wanted: { options: Options; list: string },
    outcome: Done | undefined,
  ): void => {
    const size = (outcome && sizes.get(outcome.address)) ?? predicted(item, wanted.options)
    const attention = state.attention.get(outcomeKey(item.id, wanted.list))
    const { trimmed } = wanted.options.trim ? item.shown! : {}
    const placement = placeSource({
      resize: wanted.options.resize,
      source: item.shown!,
      result: size,
      ...(trimmed === undefined ? {} : { trimmed }),
      ...(attention === undefined ? {} : { attention }),
    })
    compare.show({
      key: `${item.id} ${size.width}x${size.height}`,
      size,
      source: {
        address: item.shown!.address,
        placement,
        tag: `Source${item.bytes === undefined ? '' : ` · ${sayBytes(item.bytes)}`}`,
      },
      ...(outcome === undefined
        ? {}
        : {
            result: {
              address: outcome.address,
              isVideo: isVideo(outcome),
              tag: `${nameOfType(outcome.type)} · ${sayBytes(outcome.bytes)}`,
            },
          }),
    })
  }

  const told = (item: TriedImage, outcome: Outcome | undefined): readonly [kind: string, text: string][] => {
    if (item.refused !== undefined) return [['wrong', item.refused]]
    if (outcome?.kind === 'refused') return [['wrong', outcome.text]]
    return (outcome?.warnings ?? []).map((text) => ['slight', text])
  }

  let said = '[]'
  const tell = (texts: readonly (readonly [kind: string, text: string])[]): void => {
    // A live region speaks whenever it is filled.
    if (JSON.stringify(texts) === said) return
    said = JSON.stringify(texts)
    fill(warnings, ...texts.map(([kind, text]) => h('p', { class: kind }, text)))
  }

  const show: StageCard['show'] = (state, item, wanted) => {
    setAttribute(element, 'hidden', item === undefined)
    if (item === undefined) return
    const key = wanted === undefined ? '' : outcomeKey(item.id, wanted.list)
    const outcome = state.outcomes.get(key)
    const done = outcome?.kind === 'done' ? outcome : undefined
    current = done === undefined ? undefined : { item, outcome: done }
    setText(title, item.name)
    setAttribute(element, 'data-running', state.running.has(key))
    setAttribute(download, 'disabled', done === undefined)
    setText(change, done === undefined || item.bytes === undefined ? '' : sayChange(item.bytes, done.bytes))
    fill(facts, ...(done === undefined ? [] : factsOf(item, done)))
    tell(told(item, outcome))
    setAttribute(compare, 'hidden', item.shown === undefined)
    if (item.shown === undefined || wanted === undefined) return
    if (done !== undefined && !sizes.has(done.address)) {
      // Its size is known in a moment; until then what was there stays.
      void (isVideo(done) ? videoSize : imageSize)(done.address).then(
        (size) => {
          sizes.set(done.address, size)
          if (current?.outcome === done) scene(state, item, wanted, done)
        },
        () => undefined,
      )
      if (sizes.size > 0) return
    }
    scene(state, item, wanted, done)
  }
  return { element, show }
}
