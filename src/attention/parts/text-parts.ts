import type { Scene } from '../scene.ts'
import { preferWhole, rampUp, type ScenePart, shareOut, stretchOn, type WindowAxis } from './scene-part.ts'

/** What all lines of text together count. */
const WEIGHT = 6
/** Certainties of a line between which it counts ever more. */
const CERTAIN = [0.52, 0.9] as const
/** Height of a line, as a share of the shorter side, below which text is a caption or a watermark, and above which it counts fully. */
const READABLE = [0.02, 0.035] as const
/** Heights of a line that stay free around text. */
const MARGIN = 0.4

/** Lines of text with a margin; longer and higher ones count more, and what is too small to be read not at all. */
export const textOn = ({ text, width, height }: Scene, axis: WindowAxis): ScenePart[] => {
  const sized = text.map((line) => {
    const readable = rampUp((line.height * height) / Math.min(width, height), READABLE)
    return {
      region: { ...line, score: line.score * readable },
      weight: line.score * Math.sqrt(line.width * line.height),
    }
  })
  return shareOut(sized, WEIGHT, CERTAIN).map(({ region, weight }) => {
    const lines = axis === 'x' ? (region.height * height) / (region.width * width) : 1
    return { ...stretchOn(region, axis, MARGIN * lines, MARGIN * lines), weight, worth: preferWhole }
  })
}
