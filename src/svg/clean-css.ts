import * as css from 'css-tree'
import { FRAGMENT, RASTER_DATA, runsScript } from './allowed.ts'

/** At-rules that load and hide nothing. `@font-face` may contain its font as data. */
const ALLOWED_AT_RULES = new Set([
  'media',
  'supports',
  'keyframes',
  '-webkit-keyframes',
  'font-face',
  'layer',
  'container',
])
/** Functions that accept an address as a plain string. */
const LOADING_FUNCTIONS = new Set([
  'image',
  'image-set',
  '-webkit-image-set',
  'src',
  'expression',
  'cross-fade',
  'element',
  '-webkit-cross-fade',
])
const LOADING_PROPERTIES = new Set(['behavior', '-moz-binding', '-ms-behavior'])
const FONT_DATA =
  /^\s*data:(?:font|application)\/(?:x-)?(?:font-)?(?:woff2?|ttf|otf|sfnt|truetype|opentype|octet-stream)[^,]*,/i

const isHarmlessUrl = (url: string): boolean => FRAGMENT.test(url) || RASTER_DATA.test(url) || FONT_DATA.test(url)

const isHarmful = (node: css.CssNode): boolean => {
  switch (node.type) {
    case 'Url':
      return !isHarmlessUrl(node.value)
    case 'Function':
      return LOADING_FUNCTIONS.has(node.name.toLowerCase()) || node.name.includes('\\')
    case 'Raw':
      // The parser could not read this. Unusual but valid values are other nodes.
      return /[\\@(<]|url/i.test(node.value)
    default:
      return false
  }
}

const holdsHarm = (node: css.CssNode): boolean => css.find(node, isHarmful) !== null || runsScript(css.generate(node))

const parse = (text: string, context: 'stylesheet' | 'declarationList'): css.CssNode =>
  css.parse(text, { context, parseCustomProperty: true, parseAtrulePrelude: true })

/** The decoded name of a property, since names may contain escapes. */
const propertyOf = (node: css.Declaration): string => css.ident.decode(node.property).toLowerCase()

const clean = (text: string, context: 'stylesheet' | 'declarationList'): { css: string; removed: boolean } => {
  const tree = parse(text, context)
  let removed = false
  css.walk(tree, {
    enter(node: css.CssNode, item: css.ListItem<css.CssNode>, list: css.List<css.CssNode>) {
      const drop = (): void => {
        removed = true
        list?.remove(item)
      }
      if (node.type === 'Atrule' && !ALLOWED_AT_RULES.has(css.ident.decode(node.name).toLowerCase())) drop()
      else if (node.type === 'Atrule' && node.prelude !== null && holdsHarm(node.prelude)) drop()
      else if (node.type === 'Declaration' && (LOADING_PROPERTIES.has(propertyOf(node)) || holdsHarm(node.value)))
        drop()
      else if (node.type === 'Raw' && isHarmful(node)) drop()
    },
  })
  return { css: css.generate(tree), removed }
}

/** A style sheet without rules that load, run, or cannot be parsed. `removed`: whether there were any. */
export const cleanStyleSheet = (text: string): { readonly css: string; readonly removed: boolean } => {
  try {
    return clean(text, 'stylesheet')
  } catch {
    return { css: '', removed: true }
  }
}

/** The same for the declarations of a `style` attribute. */
export const cleanDeclarations = (text: string): { readonly css: string; readonly removed: boolean } => {
  try {
    return clean(text, 'declarationList')
  } catch {
    return { css: '', removed: true }
  }
}

/** Whether the value of a presentation attribute, which may contain `url()`, must be removed. */
export const isHarmfulValue = (value: string): boolean => {
  if (runsScript(value)) return true
  if (!/[\\(@]/.test(value)) return false
  try {
    return holdsHarm(css.parse(value, { context: 'value' }))
  } catch {
    return true
  }
}
