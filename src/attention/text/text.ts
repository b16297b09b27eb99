import { clip, containmentOf, type Found, keepSurest } from '../boxes.ts'
import type { View } from '../view.ts'
import { findComponents } from './components.ts'
import { findLines } from './lines.ts'

/** Of two lines that share more of the smaller one only the surer is kept. */
const MOST_CONTAINED = 0.5

/**
 * Lines of text that lie over an image or make it up: glyphs of even colour on a common base line. They are looked for at
 * full and at half size: glyphs whose edges are soft, as in a photograph that was enlarged, are even at half size.
 */
export const findText = (view: View): Found[] =>
  keepSurest([...linesIn(view), ...linesIn(halve(view))], 0, (a, b) => containmentOf(a, b) > MOST_CONTAINED)

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

/** Means of 2 x 2 pixels. A last odd row or column is dropped; a view of a single one stays as it is. */
const halve = (view: View): View => {
  if (view.width < 2 || view.height < 2) return view
  const width = view.width >> 1
  const height = view.height >> 1
  const data = new Uint8Array(width * height * 3)
  const row = view.width * 3
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++, to++) {
        const at = 2 * y * row + 6 * x + c
        data[to] = (view.data[at]! + view.data[at + 3]! + view.data[at + row]! + view.data[at + row + 3]! + 2) >> 2
      }
    }
  }
  return { width, height, channels: 3, data }
}
