import type { Extent } from '../core/image.ts'
import { UPDATE_MS } from '../core/intervals.ts'
import type { Options } from '../options/options.ts'
import { fill, h, icon, setAttribute, setText } from './dom.ts'
import { saveResult } from './download.ts'
import { ICONS } from './icons.ts'
import { ImageCompare } from './image-compare.ts'
import { nameOfType } from './matrix.ts'
import { formatBytes, formatChange, formatSeconds } from './numbers.ts'
import type { Done, Outcome } from './requests.ts'
import { BUTTERAUGLI_SCALE, SCORE_SCALE, scoreWords } from './score-words.ts'
import type { Setup } from './setup.ts'
import { loadImage } from './sources.ts'
import { isVideo, predictSize, type Staged, sceneOf } from './stage-scene.ts'
import { outcomeKey, type SourceImage, type State } from './state.ts'

/** Actions of the stage's buttons. Keys are those of {@link outcomeKey}. */
export interface StageActions {
  readonly cancel: (key: string) => void
  readonly retry: (item: SourceImage, key: string) => void
  readonly remove: (id: number) => void
  /** Returns the number of results before this one in the queue. Negative if the page does not need the result. */
  readonly queuePosition: (key: string) => number
}

/** The card that compares a source with its result. */
export interface StageCard {
  readonly element: HTMLElement
  /** Shows the result of an item for a canonical option list. `request` is undefined while the list is invalid. */
  readonly show: (
    state: State,
    item: SourceImage | undefined,
    request: { options: Options; list: string } | undefined,
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

/** Creates a figure with its label. `title` explains its scale. */
const fact = (label: string, value: string, title?: string): HTMLElement =>
  h('div', { title }, h('dt', {}, label), h('dd', {}, value))

/** Creates a score with its description, on a scale from 0 to 100. */
const scoreFact = (score: number): HTMLElement =>
  h(
    'div',
    { class: 'score', title: SCORE_SCALE },
    h('dt', {}, `SSIMULACRA 2.1, of 100`),
    h(
      'dd',
      {},
      `${score.toFixed(1)} `,
      h('meter', { min: 0, max: 100, low: 55, high: 70, optimum: 100, value: score, 'aria-label': SCORE_SCALE }),
      h('small', {}, scoreWords(score)),
    ),
  )

const factsOf = (item: SourceImage, outcome: Done): HTMLElement[] => [
  ...(item.bytes === undefined ? [] : [fact('Source', formatBytes(item.bytes))]),
  fact(nameOfType(outcome.type), formatBytes(outcome.bytes)),
  ...(outcome.score === undefined ? [] : [scoreFact(outcome.score)]),
  ...(outcome.butteraugli === undefined
    ? []
    : [fact('Butteraugli', outcome.butteraugli.toFixed(2), BUTTERAUGLI_SCALE)]),
  fact('Time', formatSeconds(outcome.ms)),
  ...(outcome.quotaRemaining === undefined ? [] : [fact('Left of the quota', String(outcome.quotaRemaining))]),
]

/** Measures the size of each result in the browser once. */
const openSizes = () => {
  const sizes = new Map<string, Extent>()
  return {
    of: ({ address }: Done): Extent | undefined => sizes.get(address),
    isEmpty: (): boolean => sizes.size === 0,
    /** Calls `then` when the size is known. Never calls it if the browser cannot decode the result. */
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

const messagesOf = (item: SourceImage, outcome: Outcome | undefined): readonly Message[] => {
  if (item.refused !== undefined) return [['wrong', item.refused]]
  if (outcome?.kind === 'refused') return [['wrong', outcome.text]]
  return (outcome?.warnings ?? []).map((text) => ['slight', text])
}

/** Shows refusals and Warnings. Sets only new messages, since a live region announces every change. */
const makeMessages = () => {
  const element = h('div', { class: 'messages', role: 'status' })
  let shown = '[]'
  const show = (messages: readonly Message[]): void => {
    if (JSON.stringify(messages) === shown) return
    shown = JSON.stringify(messages)
    fill(element, ...messages.map(([kind, text]) => h('p', { class: kind }, text)))
  }
  return { element, show }
}

const changeOf = (item: SourceImage, done: Done | undefined): string => {
  if (done?.timedOut === true) return 'timed out'
  return done === undefined || item.bytes === undefined ? '' : formatChange(item.bytes, done.bytes)
}

/** Shows the name of the image, the saving, facts about the result, and a download button. */
const makeStageHead = () => {
  const title = h('h2', {})
  const change = h('strong', { class: 'saved' })
  const facts = h('dl', { class: 'facts' })
  const download = h('button', { type: 'button', class: 'button primary' }, icon(ICONS.download), 'Download')
  let save = (): void => undefined
  download.addEventListener('click', () => save())
  const show = (item: SourceImage, done: Done | undefined): void => {
    save = () => done && saveResult(item.name, done)
    setText(title, item.name)
    setText(change, changeOf(item, done))
    setAttribute(download, 'disabled', done === undefined || done.timedOut)
    setAttribute(change, 'data-timeout', done?.timedOut === true)
    fill(facts, ...(done === undefined || done.timedOut ? [] : factsOf(item, done)))
  }
  return { element: h('header', {}, h('div', { class: 'title' }, title, change), facts, download), show }
}

/** Shows the elapsed time of a request or its position in the queue, and a cancel button. */
const makeProgress = (act: StageActions) => {
  const text = h('span', {})
  let key = ''
  let line = (): string => ''
  const cancel = h('button', { type: 'button', class: 'button', on: { click: () => act.cancel(key) } }, 'Cancel')
  const element = h('p', { class: 'progress', hidden: true }, text, cancel)
  setInterval(() => !element.hidden && setText(text, line()), UPDATE_MS)
  const show = (shown: string, since: number | undefined, isPending: boolean): void => {
    const before = act.queuePosition(shown)
    setAttribute(element, 'hidden', !isPending || before < 0)
    key = shown
    line = () => {
      if (since !== undefined) return `Working: ${Math.round((performance.now() - since) / 1000)} s`
      return before === 0 ? 'Starting' : `Waiting: ${before} before it`
    }
    setText(text, line())
  }
  return { element, show }
}

/** Shows buttons to recover from a failure. */
const makeRepair = (act: StageActions) => {
  let current: { readonly item: SourceImage; readonly key: string } | undefined
  const button = (label: string, run: (now: NonNullable<typeof current>) => void): HTMLElement =>
    h('button', { type: 'button', class: 'button', on: { click: () => current && run(current) } }, label)
  const element = h(
    'p',
    { class: 'repair', hidden: true },
    button('Try again', ({ item, key }) => act.retry(item, key)),
    button('Remove the image', ({ item }) => act.remove(item.id)),
  )
  const show = (item: SourceImage, key: string, hasFailed: boolean): void => {
    current = { item, key }
    setAttribute(element, 'hidden', !hasFailed)
  }
  return { element, show }
}

/** Compares a source with its result. Keeps the previous scene until the size of a new result is known. */
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
    if (!isUnknown || sizes.isEmpty()) draw(staged)
  }
  return {
    element,
    /** Sets the result to show as soon as its size is known. */
    expect: (outcome: Done | undefined): void => {
      current = outcome
    },
    show,
  }
}

/** Creates the card that compares a source with its result. */
export const makeStageCard = (setup: Setup, act: StageActions): StageCard => {
  const [head, stage, messages] = [makeStageHead(), makeStage(setup), makeMessages()]
  const [progress, repair] = [makeProgress(act), makeRepair(act)]
  const element = h(
    'section',
    { class: 'card stage-card', 'aria-label': 'Source and result' },
    head.element,
    progress.element,
    stage.element,
    messages.element,
    repair.element,
  )
  const show: StageCard['show'] = (state, item, request) => {
    setAttribute(element, 'hidden', item === undefined)
    if (item === undefined) return
    const key = request === undefined ? '' : outcomeKey(item.id, request.list)
    const outcome = state.outcomes.get(key)
    const done = outcome?.kind === 'done' ? outcome : undefined
    stage.expect(done)
    setAttribute(element, 'data-running', state.running.has(key))
    head.show(item, done)
    messages.show(messagesOf(item, outcome))
    progress.show(key, state.running.get(key), outcome === undefined && item.refused === undefined)
    repair.show(item, key, outcome?.kind === 'refused' || item.refused !== undefined)
    const { shown } = item
    setAttribute(stage.element, 'hidden', shown === undefined)
    if (shown === undefined || request === undefined) return
    stage.show({
      item: { ...item, shown },
      options: request.options,
      outcome: done,
      attention: state.attention.get(key),
    })
  }
  return { element, show }
}
