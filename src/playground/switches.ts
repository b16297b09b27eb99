import type { Point } from '../core/image.ts'
import { REQUESTABLE_FORMATS, type RequestableFormat, type Rgb } from '../core/image.ts'
import { EDGES, type Edge, type Method, MOST_CSS_PX, type Options, PRESETS, type Preset } from '../options/options.ts'
import type { Insight } from './ask.ts'
import { CONTROL_GROUPS, type ControlGroup, helpOf, optionRow } from './controls.ts'
import { h, setAttribute } from './dom.ts'
import * as edits from './edits.ts'
import { FocusPicker } from './focus-picker.ts'
import { colourField, numberField, radios, select, toggle } from './inputs.ts'
import type { Shown } from './state.ts'

/** What the switches show, besides the options themselves. */
export interface SwitchContext {
  readonly source: Shown | undefined
  readonly attention: Point | undefined
  readonly insight: Insight | undefined
}

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

const group = (about: ControlGroup, ...parts: readonly HTMLElement[]): HTMLElement =>
  h('fieldset', {}, h('legend', {}, about.title), ...parts, h('p', { class: 'help' }, helpOf(about)))

/** A switch for every option; `change` takes the edit that somebody made. */
export const makeSwitches = (change: (edit: edits.Edit) => void, maxTimeout: number): Switches => {
  const size = radios<'full' | 'box'>(
    'Size',
    [
      { value: 'full', label: 'Original' },
      { value: 'box', label: 'At most' },
    ],
    (value) => change(value === 'full' ? edits.setFull : edits.setSides({ width: edits.USUAL_SIDE })),
  )
  let sides: { width?: number | undefined; height?: number | undefined } = {}
  const setSide = (name: 'width' | 'height') => (px: number | undefined) => {
    sides = { ...sides, [name]: px }
    change(edits.setSides(sides))
  }
  const px = { min: 1, max: MOST_CSS_PX, unit: 'px' }
  const width = numberField('Width', px, setSide('width'))
  const height = numberField('Height', px, setSide('height'))
  const sidesRow = h('div', { class: 'pair' }, width.element, height.element)

  const density = radios<'1' | '2' | '3'>(
    'Screen density',
    [
      { value: '1', label: '1x' },
      { value: '2', label: '2x' },
      { value: '3', label: '3x' },
    ],
    (value) => change(edits.setDensity(Number(value) as 1 | 2 | 3)),
  )

  const method = radios<MethodName>(
    'Into that size',
    CONTROL_GROUPS.method.rows.map((name) => ({
      value: name,
      label: METHOD_LABELS[name],
      help: optionRow(name).help,
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

  const quality = radios<Preset>(
    'Quality',
    PRESETS.map((value) => ({ value, label: value })),
    (value) => change(edits.setQuality(value)),
  )
  const format = select<RequestableFormat | 'auto'>(
    'Format',
    [{ value: 'auto', label: 'best, automatically' }, ...REQUESTABLE_FORMATS.map((value) => ({ value, label: value }))],
    (value) => change(edits.setFormat(value)),
  )
  const wide = toggle('Keep wide colours (Display P3)', (on) => change(edits.setGamut(on ? 'p3' : 'srgb')))
  const trim = toggle('Remove a border of solid colour', (on) => change(edits.setTrim(on)))
  const colour = colourField('Colour', (hex) => change(edits.setBackground(rgbOf(hex))))
  const transparent = toggle('Transparent', (on) =>
    change(edits.setBackground(on ? 'transparent' : { r: 255, g: 255, b: 255 })),
  )
  const timeout = numberField(
    'At most',
    { min: 0.1, max: maxTimeout, unit: 's', step: 0.1 },
    (value) => value !== undefined && change(edits.setTimeoutSeconds(value)),
  )

  const methodGroup = h(
    'fieldset',
    {},
    h('legend', {}, CONTROL_GROUPS.method.title),
    method.element,
    edge.element,
    picker,
  )
  const element = h(
    'div',
    { class: 'switches' },
    group(CONTROL_GROUPS.quality, quality.element),
    group(CONTROL_GROUPS.format, format.element),
    group(CONTROL_GROUPS.size, size.element, sidesRow),
    group(CONTROL_GROUPS.density, density.element),
    methodGroup,
    group(CONTROL_GROUPS.trim, trim.element),
    group(CONTROL_GROUPS.background, h('div', { class: 'row' }, colour.element, transparent.element)),
    group(CONTROL_GROUPS.gamut, wide.element),
    group(CONTROL_GROUPS.timeout, timeout.element),
  )

  const show: Switches['show'] = (options, context) => {
    const { resize, background } = options
    const box = resize.kind === 'box' ? resize : undefined
    sides = { width: box?.width, height: box?.height }
    size.show(box === undefined ? 'full' : 'box')
    width.show(box?.width)
    height.show(box?.height)
    density.show(box === undefined ? undefined : `${box.density}`, box !== undefined)
    method.show(box === undefined ? undefined : nameOfMethod(box.method))
    const focus = box?.method.kind === 'crop' ? box.method.focus : undefined
    setAttribute(edge.element, 'hidden', focus?.kind !== 'edge')
    edge.show(focus?.kind === 'edge' ? focus.edge : undefined)
    picker.show(resize, context.source, context)
    quality.show(options.quality)
    format.show(options.format)
    trim.show(options.trim)
    colour.show(background === 'transparent' ? '#ffffff' : hexOf(background), background !== 'transparent')
    transparent.show(background === 'transparent')
    wide.show(options.gamut === 'p3')
    timeout.show(options.timeout)
  }
  return { element, show }
}
