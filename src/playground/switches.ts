import type { Point } from '../core/image.ts'
import { REQUESTABLE_FORMATS, type RequestableFormat, type Rgb } from '../core/image.ts'
import { EDGES, type Edge, MAX_CSS_PX, type Method, type Options, PRESETS, type Preset } from '../options/options.ts'
import { CONTROL_GROUPS, type ControlGroup } from './controls.ts'
import { h, setAttribute } from './dom.ts'
import * as edits from './edits.ts'
import { FocusPicker } from './focus-picker.ts'
import { colourField, numberField, radios, select, toggle } from './inputs.ts'
import type { Insight } from './requests.ts'
import type { Shown } from './state.ts'

/** Data that the switches show besides the options. */
export interface SwitchContext {
  readonly source: Shown | undefined
  readonly attention: Point | undefined
  readonly insight: Insight | undefined
}

/** Controls of one or several options. */
export interface Switches {
  readonly element: HTMLElement
  readonly show: (options: Options, context: SwitchContext) => void
}

type MethodName = 'scale-down' | 'fit' | 'crop' | 'crop=auto' | 'crop=<edge>' | 'crop=<x>x<y>' | 'pad'

const METHOD_LABELS: Readonly<Record<MethodName, string>> = {
  'scale-down': 'Scale down',
  fit: 'Fit',
  crop: 'Crop to the middle',
  'crop=auto': 'Crop automatically',
  'crop=<edge>': 'Crop, keep an edge',
  'crop=<x>x<y>': 'Crop to a focal point',
  pad: 'Pad',
}

const METHOD_HELP: Readonly<Record<MethodName, string>> = {
  'scale-down': 'Fits inside the size. Never enlarges.',
  fit: 'Fits inside the size. Enlarges smaller images.',
  crop: 'Fills the size exactly and keeps the centre of the image.',
  'crop=auto': 'Fills the size exactly. Keeps faces and the main subject, which it finds automatically.',
  'crop=<edge>': 'Fills the size exactly and keeps the edge that you choose.',
  'crop=<x>x<y>': 'Fills the size exactly around the point that you set below.',
  pad: 'Fits inside the size. The background colour fills the rest.',
}

const nameOfMethod = (method: Method): MethodName => {
  if (method.kind !== 'crop') return method.kind
  const names = { centre: 'crop', auto: 'crop=auto', edge: 'crop=<edge>', point: 'crop=<x>x<y>' } as const
  return names[method.focus.kind]
}

const methodOf: Readonly<Record<MethodName, Method>> = {
  'scale-down': { kind: 'scale-down' },
  fit: { kind: 'fit' },
  pad: { kind: 'pad' },
  crop: { kind: 'crop', focus: { kind: 'centre' } },
  'crop=auto': { kind: 'crop', focus: { kind: 'auto' } },
  'crop=<edge>': { kind: 'crop', focus: { kind: 'edge', edge: 'top' } },
  'crop=<x>x<y>': { kind: 'crop', focus: { kind: 'point', at: { x: 0.5, y: 0.5 } } },
}

const hexOf = ({ r, g, b }: Rgb): string =>
  `#${[r, g, b].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`

const rgbOf = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16)
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 }
}

/** Receives an edit by the user. */
type Change = (edit: edits.Edit) => void

type Box = Extract<Options['resize'], { kind: 'box' }>

const boxOf = ({ resize }: Options): Box | undefined => (resize.kind === 'box' ? resize : undefined)

const group = (about: ControlGroup, ...parts: readonly HTMLElement[]): HTMLElement =>
  h('fieldset', {}, h('legend', {}, about.title), ...parts, h('p', { class: 'help' }, about.help))

const qualitySwitch = (change: Change): Switches => {
  const quality = radios<Preset>(
    'Quality',
    PRESETS.map((value) => ({ value, label: value })),
    (value) => change(edits.setQuality(value)),
  )
  return { element: group(CONTROL_GROUPS.quality, quality.element), show: (options) => quality.show(options.quality) }
}

const formatSwitch = (change: Change): Switches => {
  const format = select<RequestableFormat | 'auto'>(
    'Format',
    [{ value: 'auto', label: 'best, automatically' }, ...REQUESTABLE_FORMATS.map((value) => ({ value, label: value }))],
    (value) => change(edits.setFormat(value)),
  )
  return { element: group(CONTROL_GROUPS.format, format.element), show: (options) => format.show(options.format) }
}

const sizeSwitch = (change: Change): Switches => {
  let sides: { width?: number | undefined; height?: number | undefined } = {}
  const setSide = (name: 'width' | 'height') => (px: number | undefined) => {
    sides = { ...sides, [name]: px }
    change(edits.setSides(sides))
  }
  const size = radios<'full' | 'box'>(
    'Size',
    [
      { value: 'full', label: 'Original' },
      { value: 'box', label: 'Given size' },
    ],
    (value) => change(value === 'full' ? edits.setFull : edits.setSides({ width: edits.DEFAULT_SIDE })),
  )
  const px = { min: 1, max: MAX_CSS_PX, unit: 'px' }
  const width = numberField('Width', px, setSide('width'))
  const height = numberField('Height', px, setSide('height'))
  return {
    element: group(CONTROL_GROUPS.size, size.element, h('div', { class: 'pair' }, width.element, height.element)),
    show: (options) => {
      const box = boxOf(options)
      sides = { width: box?.width, height: box?.height }
      size.show(box === undefined ? 'full' : 'box')
      width.show(box?.width)
      height.show(box?.height)
    },
  }
}

const densitySwitch = (change: Change): Switches => {
  const density = radios<'1' | '2' | '3'>(
    'Screen density',
    [
      { value: '1', label: '1x' },
      { value: '2', label: '2x' },
      { value: '3', label: '3x' },
    ],
    (value) => change(edits.setDensity(Number(value) as 1 | 2 | 3)),
  )
  return {
    element: group(CONTROL_GROUPS.density, density.element),
    show: (options) => {
      const box = boxOf(options)
      density.show(box === undefined ? undefined : `${box.density}`, box !== undefined)
    },
  }
}

/** Creates the switch for the method, with the part to keep for crops. */
const methodSwitch = (change: Change): Switches => {
  const method = radios<MethodName>(
    'Into that size',
    CONTROL_GROUPS.method.rows.map((name) => ({
      value: name,
      label: METHOD_LABELS[name],
      help: METHOD_HELP[name],
    })),
    (name) => change(edits.setMethod(methodOf[name])),
    'list',
  )
  const edge = radios<Edge>(
    'Edge to keep',
    EDGES.map((value) => ({ value, label: value })),
    (value) => change(edits.setEdge(value)),
  )
  const picker = new FocusPicker()
  picker.onpick = (at) => change(edits.setPoint(at))
  const legend = h('legend', {}, CONTROL_GROUPS.method.title)
  return {
    element: h('fieldset', {}, legend, method.element, edge.element, picker),
    show: (options, context) => {
      const box = boxOf(options)
      const focus = box?.method.kind === 'crop' ? box.method.focus : undefined
      method.show(box === undefined ? undefined : nameOfMethod(box.method))
      setAttribute(edge.element, 'hidden', focus?.kind !== 'edge')
      edge.show(focus?.kind === 'edge' ? focus.edge : undefined)
      picker.show(options.resize, context.source, context)
    },
  }
}

const trimSwitch = (change: Change): Switches => {
  const trim = toggle('Remove a border of solid colour', (on) => change(edits.setTrim(on)))
  return { element: group(CONTROL_GROUPS.trim, trim.element), show: (options) => trim.show(options.trim) }
}

const backgroundSwitch = (change: Change): Switches => {
  const colour = colourField('Colour', (hex) => change(edits.setBackground(rgbOf(hex))))
  const transparent = toggle('Transparent', (on) =>
    change(edits.setBackground(on ? 'transparent' : { r: 255, g: 255, b: 255 })),
  )
  return {
    element: group(CONTROL_GROUPS.background, h('div', { class: 'row' }, colour.element, transparent.element)),
    show: ({ background }) => {
      colour.show(background === 'transparent' ? '#ffffff' : hexOf(background), background !== 'transparent')
      transparent.show(background === 'transparent')
    },
  }
}

const gamutSwitch = (change: Change): Switches => {
  const wide = toggle('Keep wide colours (Display P3)', (on) => change(edits.setGamut(on ? 'p3' : 'srgb')))
  return { element: group(CONTROL_GROUPS.gamut, wide.element), show: (options) => wide.show(options.gamut === 'p3') }
}

const metaSwitch = (change: Change): Switches => {
  const kept = toggle('Keep creator and copyright', (on) => change(edits.setMeta(on ? 'copyright' : 'none')))
  return {
    element: group(CONTROL_GROUPS.meta, kept.element),
    show: (options) => kept.show(options.meta === 'copyright'),
  }
}

const maxBytesSwitch = (change: Change): Switches => {
  const limit = numberField('At most', { min: 100, max: 1e9, unit: 'bytes' }, (bytes) =>
    change(edits.setMaxBytes(bytes)),
  )
  return { element: group(CONTROL_GROUPS.maxBytes, limit.element), show: (options) => limit.show(options.maxBytes) }
}

const timeoutSwitch = (change: Change, maxTimeout: number): Switches => {
  const timeout = numberField(
    'At most',
    { min: 0.1, max: maxTimeout, unit: 's', step: 0.1 },
    (value) => value !== undefined && change(edits.setTimeoutSeconds(value)),
  )
  return { element: group(CONTROL_GROUPS.timeout, timeout.element), show: (options) => timeout.show(options.timeout) }
}

/** Creates a switch for every option. `change` receives the user's edits. */
export const makeSwitches = (change: Change, maxTimeout: number): Switches => {
  const all = [
    qualitySwitch(change),
    formatSwitch(change),
    sizeSwitch(change),
    densitySwitch(change),
    methodSwitch(change),
    trimSwitch(change),
    backgroundSwitch(change),
    gamutSwitch(change),
    metaSwitch(change),
    maxBytesSwitch(change),
    timeoutSwitch(change, maxTimeout),
  ]
  return {
    element: h('div', { class: 'switches' }, ...all.map(({ element }) => element)),
    show: (options, context) => {
      for (const each of all) each.show(options, context)
    },
  }
}
