import type { Point } from '../core/image.ts'
import type { Options } from '../options/options.ts'
import { fill, h, setAttribute, setText } from './dom.ts'
import { cropWindow } from './placement.ts'
import type { Face, Insight } from './requests.ts'
import type { Shown } from './state.ts'

const percent = (fraction: number): string => `${Math.round(fraction * 1e4) / 100}%`

/** The detected focus of `crop=auto`. */
export interface FocusFacts {
  /** Centre of the window of a result. */
  readonly attention?: Point | undefined
  /** Faces and focus reported by the service. */
  readonly insight?: Insight | undefined
}

const faceFrame = ({ x, y, width, height }: Face): HTMLElement => {
  const frame = h('span', { class: 'face' })
  Object.assign(frame.style, { left: percent(x), top: percent(y), width: percent(width), height: percent(height) })
  return frame
}

const countFaces = (count: number): string =>
  count === 0 ? 'No face was found. ' : count === 1 ? 'One face was found. ' : `${count} faces were found. `

/** `<focus-picker>`: shows the source and the window of a crop. The user moves the focal point by dragging or with two sliders. */
export class FocusPicker extends HTMLElement {
  /** Receives the focal point when the user moves it. */
  onpick: (at: Point) => void = () => undefined

  readonly #image = h('img', { alt: '', draggable: 'false' })
  readonly #window = h('span', { class: 'crop-window' })
  readonly #faces = h('span', { class: 'faces' })
  readonly #point = h('span', { class: 'crop-point' })
  readonly #frame = h('div', { class: 'crop-frame' }, this.#image, this.#window, this.#faces, this.#point)
  readonly #x = h('input', {
    type: 'range',
    min: '0',
    max: '100',
    step: '1',
    'aria-label': 'Focal point from the left, per cent',
  })
  readonly #y = h('input', {
    type: 'range',
    min: '0',
    max: '100',
    step: '1',
    'aria-label': 'Focal point from the top, per cent',
  })
  readonly #hint = h('p', { class: 'hint' })

  connectedCallback(): void {
    this.append(this.#frame, h('div', { class: 'crop-sliders' }, this.#x, this.#y), this.#hint)
    const slide = (): void => this.onpick({ x: Number(this.#x.value) / 100, y: Number(this.#y.value) / 100 })
    this.#x.addEventListener('input', slide)
    this.#y.addEventListener('input', slide)
    const pick = (event: PointerEvent): void => {
      const { left, top, width, height } = this.#frame.getBoundingClientRect()
      this.onpick({ x: (event.clientX - left) / width, y: (event.clientY - top) / height })
    }
    this.#frame.addEventListener('pointerdown', (event) => {
      this.#frame.setPointerCapture(event.pointerId)
      pick(event)
    })
    this.#frame.addEventListener('pointermove', (event) => {
      if (this.#frame.hasPointerCapture(event.pointerId)) pick(event)
    })
  }

  /** Shows the window of a crop, and the detected focus of `crop=auto`. Hides itself for other methods. */
  show(resize: Options['resize'], source: Shown | undefined, { attention, insight }: FocusFacts): void {
    const crops = resize.kind === 'box' && resize.method.kind === 'crop'
    setAttribute(this, 'hidden', !crops || source === undefined)
    if (!crops || source === undefined) return
    const { focus } = resize.method as Extract<typeof resize.method, { kind: 'crop' }>
    const window = cropWindow(resize, source, attention)
    if (window === undefined) return
    if (this.#image.getAttribute('src') !== source.address) this.#image.src = source.address
    Object.assign(this.#window.style, {
      left: percent(window.left / source.width),
      top: percent(window.top / source.height),
      width: percent(window.width / source.width),
      height: percent(window.height / source.height),
    })
    const middle = {
      x: (window.left + window.width / 2) / source.width,
      y: (window.top + window.height / 2) / source.height,
    }
    const found = focus.kind === 'auto' ? insight : undefined
    const at = focus.kind === 'point' ? focus.at : (found?.focus ?? middle)
    this.#showFaces(found?.faces ?? [])
    Object.assign(this.#point.style, { left: percent(at.x), top: percent(at.y) })
    const isPending = focus.kind === 'auto' && attention === undefined
    setAttribute(this, 'data-waits', isPending)
    for (const [input, value] of [
      [this.#x, at.x],
      [this.#y, at.y],
    ] as const)
      if (document.activeElement !== input) input.value = String(Math.round(value * 100))
    setAttribute(this, 'data-found', found !== undefined)
    const faces = found === undefined ? '' : countFaces(found.faces.length)
    const next = isPending ? 'The result will show the crop.' : 'Drag to set a focal point.'
    setText(this.#hint, faces + next)
  }

  #shown: readonly Face[] = []
  #showFaces(faces: readonly Face[]): void {
    if (faces.length === 0 && this.#shown.length === 0) return
    if (faces === this.#shown) return
    this.#shown = faces
    fill(this.#faces, ...faces.map(faceFrame))
  }
}
