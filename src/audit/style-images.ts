/** Images and imports that a style sheet names, read with css-tree. */
import { type CssNode, parse, type WalkContext, walk } from 'css-tree'

export interface StyleImages {
  /** Addresses as written, in order. */
  readonly images: readonly string[]
  readonly imports: readonly string[]
}

/** Maximum characters of a style sheet that is read: ten times the largest framework. */
const MAX_CHARACTERS = 2_000_000

/** Rules whose addresses are not images. */
const NO_IMAGES_IN = new Set(['import', 'namespace', 'font-face'])

/** Extensions of fonts, which `url()` may also name. */
const NOT_IMAGES = /\.(?:woff2?|ttf|otf|eot)(?:[?#]|$)/i

const read = (text: string, context: 'stylesheet' | 'declarationList'): StyleImages => {
  if (text === '' || text.length > MAX_CHARACTERS) return { images: [], imports: [] }
  const images = new Set<string>()
  const imports = new Set<string>()
  const tree = parse(text, { context, parseCustomProperty: true, onParseError: () => undefined })
  walk(tree, {
    enter(this: WalkContext, node: CssNode) {
      if (node.type === 'Atrule' && node.name.toLowerCase() === 'import') {
        const first = node.prelude?.type === 'AtrulePrelude' ? node.prelude.children.first : null
        if (first?.type === 'String' || first?.type === 'Url') imports.add(first.value)
      } else if (node.type === 'Url' && !NO_IMAGES_IN.has(this.atrule?.name.toLowerCase() ?? '')) {
        if (!NOT_IMAGES.test(node.value)) images.add(node.value)
      }
    },
  })
  return { images: [...images], imports: [...imports] }
}

/** Reads a whole style sheet. Damaged parts are skipped. */
export const imagesOfStyles = (css: string): StyleImages => read(css, 'stylesheet')

/** The image addresses in a `style` attribute, as written. */
export const imagesOfDeclarations = (css: string): readonly string[] =>
  css.includes('url') ? read(css, 'declarationList').images : []
