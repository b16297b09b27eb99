import { type Config, optimize } from 'svgo'
import type { Element } from './tree.ts'

type PluginName = string

const some = (root: Element, test: (element: Element) => boolean): boolean =>
  test(root) || root.children.some((child) => child.kind === 'element' && some(child, test))

const textOf = (element: Element): string =>
  element.children.map((child) => (child.kind === 'text' ? child.text : '')).join('')

/** A style sheet without the text in braces. Of nested rules at least the selectors remain. */
const withoutDeclarations = (css: string): string =>
  css
    .split('{')
    .map((piece, i) => (i === 0 ? piece : piece.slice(piece.indexOf('}') + 1)))
    .join('')

/** Whether a drawing has behaviour that a comparison of still drawings misses: animation, hovering, media queries. */
const isLively = (root: Element): boolean =>
  some(root, ({ name }) => name === 'set' || name.startsWith('animate')) ||
  some(
    root,
    (element) =>
      element.name === 'style' && /@|:(?!root)|transition|animation/.test(withoutDeclarations(textOf(element))),
  )

/** Whether a document is a sheet of symbols. They are used from outside by `sheet.svg#name`, so nothing in it is unused. */
const isSheet = (root: Element): boolean => {
  const symbols = new Set<string>()
  const used = new Set<string>()
  some(root, ({ name, attributes }) => {
    const id = attributes.get('id')
    if ((name === 'symbol' || name === 'view') && id !== undefined) symbols.add(id)
    const href = attributes.get('href') ?? attributes.get('xlink:href')
    if (href?.startsWith('#')) used.add(href.slice(1))
    return false
  })
  return [...symbols].some((id) => !used.has(id))
}

/** Plugins that change elements which rules or animations may address. They are off for lively drawings. */
const RESTRUCTURING: readonly PluginName[] = [
  'cleanupIds',
  'collapseGroups',
  'convertEllipseToCircle',
  'convertPathData',
  'convertShapeToPath',
  'inlineStyles',
  'mergePaths',
  'mergeStyles',
  'minifyStyles',
  'moveElemsAttrsToGroup',
  'moveGroupAttrsToElems',
  'removeEmptyContainers',
  'removeHiddenElems',
  'removeNonInheritableGroupAttrs',
  'removeUselessDefs',
  'removeUselessStrokeAndFill',
  'removeUnknownsAndDefaults',
  'sortAttrs',
]
const REMOVING_UNUSED: readonly PluginName[] = [
  'cleanupIds',
  'removeHiddenElems',
  'removeUselessDefs',
  'removeEmptyContainers',
]

/** A level of care. `precision`: digits after the decimal point. */
export interface Care {
  readonly precision: number
  readonly restructure: boolean
}

export const CARES: readonly Care[] = [
  { precision: 2, restructure: true },
  { precision: 3, restructure: true },
  { precision: 5, restructure: true },
  { precision: 5, restructure: false },
]

/** Optimises the markup of a sanitised document. Throws when svgo fails. */
export const runSvgo = (markup: string, root: Element, care: Care): string => {
  const off = new Set<PluginName>()
  if (isLively(root) || !care.restructure) for (const name of RESTRUCTURING) off.add(name)
  if (isSheet(root)) for (const name of REMOVING_UNUSED) off.add(name)
  const overrides = {
    // 1in is 96 px in browsers and 72 in librsvg, so units stay.
    cleanupNumericValues: { convertToPx: false },
    ...Object.fromEntries([...off].map((name) => [name, false])),
  }
  const config: Config = {
    multipass: markup.length < 2_000_000,
    floatPrecision: care.precision,
    plugins: [{ name: 'preset-default', params: { overrides } }],
  }
  return optimize(markup, config).data
}
