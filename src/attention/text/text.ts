import { containmentOf, type Found } from '../boxes.ts'
import type { View } from '../view.ts'
import { findComponents } from './components.ts'
import { findLines } from './lines.ts'

/** Two lines are one if they share more than this of the smaller one. */
const MAX_CONTAINMENT = 0.5
/** Share of its score that a line keeps if only one view shows it: textures look like text in one size only. */
const SHARE_IF_ALONE = 0.7

/** Lines of text in views of an image in several sizes: glyphs of even colour on a common base line. */
export const findText = (views: readonly View[]): Found[] =>
  confirmLines(views.map((view) => findLines(findComponents(view), view)))

/** Lines of several views without duplicates, sorted by score. A line that a second view shows scores higher. */
export const confirmLines = (views: readonly (readonly Found[])[]): Found[] => {
  const confirmed: Found[] = []
  let rest = views.flatMap((lines, view) => lines.map((line) => ({ line, view })))
  rest.sort((a, b) => b.line.score - a.line.score)
  for (let surest = rest[0]; surest !== undefined; surest = rest[0]) {
    const { line, view } = surest
    const same = rest.filter((one) => one === surest || containmentOf(one.line, line) > MAX_CONTAINMENT)
    const again = Math.max(0, ...same.filter((one) => one.view !== view).map((one) => one.line.score))
    confirmed.push({ ...line, score: SHARE_IF_ALONE * line.score + (1 - SHARE_IF_ALONE) * again })
    rest = rest.filter((one) => !same.includes(one))
  }
  return confirmed.sort((a, b) => b.score - a.score)
}
