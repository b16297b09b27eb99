import type { Scene } from '../scene.ts'
import { preferWhole, rampUp, type ScenePart, shareOut, stretchOn, type WindowAxis } from './scene-part.ts'

/** Weight of all lines of text together. */
const WEIGHT = 6
/** Scores between which the weight of a line rises. */
const CERTAIN = [0.52, 0.9] as const
/** Heights of a line, as shares of the shorter side, between which its weight rises; smaller text is a caption or a watermark. */
const READABLE = [0.02, 0.035] as const
/** Margin around text, in heights of the line. */
const MARGIN = 0.4

/** Lines of text with a margin; longer and higher lines have more weight, and unreadably small ones none. */
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
