import type { Extent } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import type { Done, Outcome } from './ask.ts'
import { fill, h, icon, setAttribute, setText } from './dom.ts'
import { saveResult } from './download.ts'
import { ICONS } from './icons.ts'
import { ImageCompare } from './image-compare.ts'
import { nameOfType } from './matrix.ts'
import { sayBytes, sayChange, saySeconds } from './numbers.ts'
import type { Setup } from './setup.ts'
import { loadImage } from './sources.ts'
import { isVideo, predictSize, type Staged, sceneOf } from './stage-scene.ts'
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

/** Reads the sizes of results from what the browser makes of them, once each. */
const openSizes = () => {
  const sizes = new Map<string, Extent>()
  return {
    of: ({ address }: Done): Extent | undefined => sizes.get(address),
    areNone: (): boolean => sizes.size === 0,
    /** Calls back when the size is known; never when it cannot be. */
    read: (outcome: Done, then: () => void): void => {
      const size = isVideo(outcome) ? videoSize(outcome.address) : imageSize(outcome.address)
      void size.then(
        (known) => {
          sizes.set(outcome.address, known)
          then()
        },
        () => undefined,
      )
    },
  }
}

type Message = readonly [kind: 'wrong' | 'slight', text: string]

const messagesOf = (item: TriedImage, outcome: Outcome | undefined): readonly Message[] => {
  if (item.refused !== undefined) return [['wrong', item.refused]]
  if (outcome?.kind === 'refused') return [['wrong', outcome.text]]
  return (outcome?.warnings ?? []).map((text) => ['slight', text])
}

/** Refusals and warnings. A live region speaks whenever it is filled, so it is filled only with what is new. */
const makeMessages = () => {
  const element = h('div', { class: 'told', role: 'status' })
  let said = '[]'
  const show = (messages: readonly Message[]): void => {
    if (JSON.stringify(messages) === said) return
    said = JSON.stringify(messages)
    fill(element, ...messages.map(([kind, text]) => h('p', { class: kind }, text)))
  }
  return { element, show }
}

/** The name of an image, what was saved, the facts of its result, and a download. */
const makeStageHead = () => {
  const title = h('h2', {})
  const change = h('strong', { class: 'saved' })
  const facts = h('dl', { class: 'facts' })
  const download = h('button', { type: 'button', class: 'button primary' }, icon(ICONS.download), 'Download')
  let save = (): void => undefined
  download.addEventListener('click', () => save())
  const show = (item: TriedImage, done: Done | undefined): void => {
    save = () => done && saveResult(item.name, done)
    setText(title, item.name)
    setText(change, done === undefined || item.bytes === undefined ? '' : sayChange(item.bytes, done.bytes))
    setAttribute(download, 'disabled', done === undefined)
    fill(facts, ...(done === undefined ? [] : factsOf(item, done)))
  }
  return { element: h('header', {}, h('div', { class: 'title' }, title, change), facts, download), show }
}

/** Compares a source with its result; what was there stays until the size of a new result is known. */
const makeStage = (setup: Setup) => {
  const element = new ImageCompare()
  const sizes = openSizes()
  let current: Done | undefined
  const draw = (staged: Staged): void => {
    const known = staged.outcome && sizes.of(staged.outcome)
    element.show(sceneOf(staged, known ?? predictSize(staged, setup)))
  }
  const show = (staged: Staged): void => {
    const { outcome } = staged
    const isUnknown = outcome !== undefined && sizes.of(outcome) === undefined
    if (isUnknown) sizes.read(outcome, () => current === outcome && draw(staged))
    if (!isUnknown || sizes.areNone()) draw(staged)
  }
  return {
    element,
    /** Tells which result is the one to show, whether it can be shown now or not. */
    expect: (outcome: Done | undefined): void => {
      current = outcome
    },
    show,
  }
}

/** The stage with the name of the image, what was saved, and a download. */
export const makeStageCard = (setup: Setup): StageCard => {
  const [head, stage, messages] = [makeStageHead(), makeStage(setup), makeMessages()]
  const element = h(
    'section',
    { class: 'card stage-card', 'aria-label': 'Source and result' },
    head.element,
    stage.element,
    messages.element,
  )
  const show: StageCard['show'] = (state, item, wanted) => {
    setAttribute(element, 'hidden', item === undefined)
    if (item === undefined) return
    const key = wanted === undefined ? '' : outcomeKey(item.id, wanted.list)
    const outcome = state.outcomes.get(key)
    const done = outcome?.kind === 'done' ? outcome : undefined
    stage.expect(done)
    setAttribute(element, 'data-running', state.running.has(key))
    head.show(item, done)
    messages.show(messagesOf(item, outcome))
    const { shown } = item
    setAttribute(stage.element, 'hidden', shown === undefined)
    if (shown === undefined || wanted === undefined) return
    stage.show({
      item: { ...item, shown },
      options: wanted.options,
      outcome: done,
      attention: state.attention.get(key),
    })
  }
  return { element, show }
}
