import type { Element } from './element.ts'
import type { HtmlNode, HtmlTree } from './types.ts'

/** Returns the element that replaces an `<img>`, or undefined to leave it alone. `options` are its other attributes. */
export type Replace = (src: string, options: Readonly<Record<string, string>>) => Promise<Element | undefined>

const IGNORE = 'eleventy:ignore'

/** Returns options from attributes: `eleventy:widths="400,800"` is the option `widths`. Ignores the attributes `width` and `height`. */
const optionsOf = (attrs: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(attrs)
      .filter(([name]) => !['src', 'srcset', 'width', 'height'].includes(name))
      .map(([name, value]) => [name.replace(/^eleventy:/, ''), value]),
  )

const collect = (tree: HtmlTree, tag: string): HtmlNode[] => {
  const nodes: HtmlNode[] = []
  tree.match({ tag }, (node) => {
    nodes.push(node)
    return node
  })
  return nodes
}

/** Returns a node and all nodes inside it. */
const nodesIn = (node: unknown): HtmlNode[] => {
  if (typeof node !== 'object' || node === null) return []
  const { content = [] } = node as HtmlNode
  return [node as HtmlNode, ...content.flatMap(nodesIn)]
}

/** Replaces each `<img>` of a page. Leaves images alone that are inside `<picture>`, have a `srcset`, or have the attribute `eleventy:ignore`. */
export const transformImages =
  (replace: Replace) =>
  async (tree: HtmlTree): Promise<void> => {
    const inPictures = new Set(collect(tree, 'picture').flatMap(nodesIn))
    const images = collect(tree, 'img').filter((node) => !inPictures.has(node))
    await Promise.all(
      images.map(async (node) => {
        const attrs = { ...node.attrs } as Record<string, string>
        if (IGNORE in attrs) {
          delete node.attrs?.[IGNORE]
          return
        }
        if (attrs['src'] === undefined || attrs['srcset'] !== undefined) return
        const element = await replace(attrs['src'], optionsOf(attrs))
        if (element !== undefined) Object.assign(node, element)
      }),
    )
  }
