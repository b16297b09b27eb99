import { clip, containmentOf, type Found } from '../boxes.ts'
import type { View } from '../view.ts'
import { findComponents } from './components.ts'
import { findLines } from './lines.ts'

/** Two lines that share more of the smaller one are one. */
const MOST_CONTAINED = 0.5
/** Share of its certainty that a line keeps which no other view shows: textures look like text in one size only. */
const ALONE = 0.7

/** Lines of text that lie over an image or make it up, in views of it of several sizes: glyphs of even colour on a common base line. */
export const findText = (views: readonly View[]): Found[] => confirmLines(views.map(linesIn))

/** Lines of several views, each once, where it is surest; surer than others is what a second view shows too. Surest first. */
export const confirmLines = (views: readonly (readonly Found[])[]): Found[] => {
  const confirmed: Found[] = []
  let rest = views.flatMap((lines, view) => lines.map((line) => ({ line, view })))
  rest.sort((a, b) => b.line.score - a.line.score)
  for (let surest = rest[0]; surest !== undefined; surest = rest[0]) {
    const { line, view } = surest
    const same = rest.filter((one) => one === surest || containmentOf(one.line, line) > MOST_CONTAINED)
    const again = Math.max(0, ...same.filter((one) => one.view !== view).map((one) => one.line.score))
    confirmed.push({ ...line, score: ALONE * line.score + (1 - ALONE) * again })
    rest = rest.filter((one) => !same.includes(one))
  }
  return confirmed.sort((a, b) => b.score - a.score)
}

const linesIn = (view: View): Found[] =>
  findLines(findComponents(view)).map(({ left, top, right, bottom, certainty }) =>
    clip({
      score: certainty,
      x: left / view.width,
      y: top / view.height,
      width: (right - left) / view.width,
      height: (bottom - top) / view.height,
    }),
  )
