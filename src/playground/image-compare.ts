import type { Extent } from '../core/image.ts'
import { drawDifference } from './difference.ts'
import { fill, h, icon, setAttribute, setText } from './dom.ts'
import { watchGestures } from './gestures.ts'
import { ICONS } from './icons.ts'
import type { Placement } from './placement.ts'
import { fitView, limitView, nextStep, type StageView, zoomTo } from './zoom.ts'

/** The content of the stage: a source, and the result once it exists. */
export interface StageScene {
  /** Identifies the scene. Another key resets the view to the whole image. */
  readonly key: string
  /** Size in px of the result, or its predicted size. */
  readonly size: Extent
  readonly source: { readonly address: string; readonly placement: Placement; readonly tag: string }
  readonly result?: { readonly address: string; readonly isVideo: boolean; readonly tag: string }
}

/** The way of comparing. */
type Look = 'divider' | 'difference'

/** Factors that amplify the difference. 8 makes one level of 256 visible on a dark screen. */
const GAINS = [1, 4, 8, 16, 32] as const

const media = (result: NonNullable<StageScene['result']>): HTMLElement =>
  result.isVideo
    ? h('video', { src: result.address, muted: true, loop: true, autoplay: true, playsinline: true })
    : h('img', { src: result.address, alt: 'The result', draggable: 'false' })

/** `<image-compare>`: shows a source and a result side by side with a divider, or their difference. Both zoom and pan together. */
export class ImageCompare extends HTMLElement {
  #scene: StageScene | undefined
  #view: StageView = { scale: 1, x: 0, y: 0 }
  /** Whether the view shows the whole image at every size of the stage. */
  #fits = true
  #split = 50
  #look: Look = 'divider'

  readonly #before = h('div', { class: 'world' })
  readonly #after = h('div', { class: 'world' })
  readonly #canvas = h('canvas', { role: 'img' })
  readonly #legendText = h('span', {})
  readonly #gain = h(
    'select',
    { id: 'gain', on: { change: () => this.#setGain(Number(this.#gain.value)) } },
    ...GAINS.map((gain) => h('option', { value: gain, selected: gain === GAINS[2] }, `${gain} x`)),
  )
  readonly #legend = h(
    'p',
    { class: 'legend', hidden: true },
    this.#legendText,
    h('label', { for: 'gain' }, 'Gain'),
    this.#gain,
  )
  readonly #difference = h('div', { class: 'world' }, this.#canvas)
  readonly #beforeTag = h('span', { class: 'tag tag-left' })
  readonly #afterTag = h('span', { class: 'tag tag-right' })
  readonly #percent = h('output', { class: 'percent', 'aria-live': 'polite' })
  readonly #divider = h(
    'div',
    {
      class: 'divider',
      role: 'slider',
      tabindex: '0',
      'aria-label': 'Divider between source and result',
      'aria-valuemin': '0',
      'aria-valuemax': '100',
    },
    h('span', { class: 'knob' }, icon(ICONS.grip)),
  )
  readonly #stage = h(
    'div',
    {
      class: 'stage',
      tabindex: '0',
      role: 'group',
      'aria-label': 'Source and result. Plus and minus zoom, arrow keys move, 0 shows the whole image.',
    },
    h('div', { class: 'layer before' }, this.#before),
    h('div', { class: 'layer after' }, this.#after),
    h('div', { class: 'layer difference' }, this.#difference),
    this.#beforeTag,
    this.#afterTag,
    this.#divider,
  )
  readonly #looks: Readonly<Record<Look, HTMLButtonElement>> = {
    divider: this.#lookButton('divider', 'Divider'),
    difference: this.#lookButton('difference', 'Difference'),
  }

  connectedCallback(): void {
    const zoomButton = (label: string, sign: string, act: () => void): HTMLElement =>
      h(
        'button',
        { type: 'button', class: 'icon-button', 'aria-label': label, title: label, on: { click: act } },
        icon(sign),
      )
    this.append(
      h(
        'div',
        { class: 'stage-bar' },
        h('div', { class: 'segmented', role: 'group', 'aria-label': 'How to compare' }, ...Object.values(this.#looks)),
        h(
          'div',
          { class: 'zoom', role: 'group', 'aria-label': 'Zoom' },
          zoomButton('Zoom out', ICONS.minus, () => this.#step(false)),
          this.#percent,
          zoomButton('Zoom in', ICONS.plus, () => this.#step(true)),
          zoomButton('Show the whole image', ICONS.fit, () => this.#fit()),
        ),
      ),
      this.#legend,
      this.#stage,
    )
    this.#setGain(GAINS[2])
    this.#divider.addEventListener('keydown', (event) => this.#dividerKey(event))
    this.#stage.addEventListener('keydown', (event) => this.#stageKey(event))
    watchGestures(this.#stage, this.#divider, {
      movesImage: () => this.#overflows(),
      split: (fraction) => this.#setSplit(fraction * 100),
      pan: (dx, dy) => this.#pan(dx, dy),
      zoom: (factor, at) => this.#zoom(this.#view.scale * factor, at),
    })
    new ResizeObserver(() => this.#draw()).observe(this.#stage)
    this.#setSplit(50)
    this.#setLook('divider')
  }

  /** Shows a scene. Keeps the divider. Resets the zoom if the key of the scene differs. */
  show(scene: StageScene): void {
    const { key, source, result, size } = scene
    const old = this.#scene
    this.#scene = scene
    if (old?.key !== key) this.#fits = true
    if (old?.source.address !== source.address)
      fill(this.#before, h('img', { src: source.address, alt: 'The source', draggable: 'false' }))
    if (old?.result?.address !== result?.address) {
      if (result === undefined) fill(this.#after)
      else fill(this.#after, media(result))
    }
    const { style } = this.#before.firstElementChild as HTMLElement
    for (const side of ['left', 'top', 'width', 'height'] as const) style[side] = `${source.placement[side]}px`
    for (const { style: world } of [this.#before, this.#after, this.#difference]) {
      world.width = `${size.width}px`
      world.height = `${size.height}px`
    }
    setText(this.#beforeTag, source.tag)
    setText(this.#afterTag, result?.tag ?? '')
    setAttribute(this, 'data-pending', result === undefined)
    this.#draw()
    void this.#drawDifference()
  }

  #lookButton(look: Look, label: string): HTMLButtonElement {
    return h('button', { type: 'button', on: { click: () => this.#setLook(look) } }, label)
  }

  #setLook(look: Look): void {
    this.#look = look
    this.dataset['look'] = look
    for (const [name, button] of Object.entries(this.#looks)) setAttribute(button, 'aria-pressed', `${name === look}`)
    this.#divider.tabIndex = look === 'divider' ? 0 : -1
    setAttribute(this.#legend, 'hidden', look !== 'difference')
    void this.#drawDifference()
  }

  #setGain(gain: number): void {
    this.#canvas.style.filter = `brightness(${gain})`
    const text = `Black: the same as the source. Brighter: a larger difference, shown ${gain} times.`
    setText(this.#legendText, text)
    this.#canvas.setAttribute('aria-label', `Differences between source and result, ${gain} times`)
  }

  async #drawDifference(): Promise<void> {
    const [source, result] = [this.#before.firstElementChild, this.#after.firstElementChild]
    const scene = this.#scene
    if (this.#look !== 'difference' || scene === undefined || source === null || result === null) return
    await drawDifference(this.#canvas, scene.size, [
      { media: source as HTMLImageElement, placement: scene.source.placement },
      { media: result as HTMLImageElement | HTMLVideoElement, placement: { left: 0, top: 0, ...scene.size } },
    ])
  }

  #setSplit(percent: number): void {
    this.#split = Math.min(100, Math.max(0, percent))
    const shown = Math.round(this.#split)
    this.#stage.style.setProperty('--split', `${this.#split}%`)
    this.#divider.setAttribute('aria-valuenow', `${shown}`)
    this.#divider.setAttribute('aria-valuetext', `${shown} % source, ${100 - shown} % result`)
  }

  get #stageSize(): Extent {
    return { width: this.#stage.clientWidth || 1, height: this.#stage.clientHeight || 1 }
  }

  #overflows(): boolean {
    const { size } = this.#scene ?? { size: { width: 0, height: 0 } }
    const { width, height } = this.#stageSize
    return size.width * this.#view.scale > width + 1 || size.height * this.#view.scale > height + 1
  }

  #fit(): void {
    this.#fits = true
    this.#draw()
  }

  #step(up: boolean): void {
    this.#zoom(nextStep(this.#view.scale, up))
  }

  #zoom(scale: number, at?: { x: number; y: number }): void {
    if (this.#scene === undefined) return
    this.#fits = false
    const frame = { image: this.#scene.size, stage: this.#stageSize }
    this.#view = zoomTo(this.#view, scale, at === undefined ? frame : { ...frame, at })
    this.#draw()
  }

  #pan(dx: number, dy: number): void {
    this.#fits = false
    this.#view = { ...this.#view, x: this.#view.x + dx, y: this.#view.y + dy }
    this.#draw()
  }

  #draw(): void {
    if (this.#scene === undefined) return
    const { size } = this.#scene
    this.#view = this.#fits ? fitView(size, this.#stageSize) : limitView(this.#view, size, this.#stageSize)
    const { scale, x, y } = this.#view
    const transform = `translate(${x}px, ${y}px) scale(${scale}) translate(-50%, -50%)`
    for (const world of [this.#before, this.#after, this.#difference]) world.style.transform = transform
    setAttribute(this.#stage, 'data-pixels', scale >= 2)
    setAttribute(this.#stage, 'data-moves', this.#overflows())
    setText(this.#percent, `${Math.round(scale * 100)} %`)
  }

  #dividerKey(event: KeyboardEvent): void {
    const step = event.shiftKey ? 10 : 2
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: this.#split - step,
      ArrowDown: this.#split - step,
      ArrowRight: this.#split + step,
      ArrowUp: this.#split + step,
      PageDown: this.#split - 10,
      PageUp: this.#split + 10,
      Home: 0,
      End: 100,
    }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    this.#setSplit(to)
  }

  #stageKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const keys: Readonly<Record<string, () => void>> = {
      '+': () => this.#step(true),
      '=': () => this.#step(true),
      '-': () => this.#step(false),
      '0': () => this.#fit(),
      '1': () => this.#zoom(1),
      ArrowLeft: () => this.#pan(40, 0),
      ArrowRight: () => this.#pan(-40, 0),
      ArrowUp: () => this.#pan(0, 40),
      ArrowDown: () => this.#pan(0, -40),
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
}
