import { clip, type Found } from '../boxes.ts'
import type { View } from '../view.ts'
import { findComponents } from './components.ts'
import { findLines } from './lines.ts'

/** Lines of text that lie over an image or make it up: glyphs of even colour on a common base line. */
export const findText = (view: View): Found[] =>
  findLines(findComponents(view)).map(({ left, top, right, bottom, certainty }) =>
    clip({
      score: certainty,
      x: left / view.width,
      y: top / view.height,
      width: (right - left) / view.width,
      height: (bottom - top) / view.height,
    }),
  )
