import { basename } from 'node:path'
import { roundFocus } from '../../src/attention/find-attention.ts'
import type { Scene } from '../../src/attention/scene.ts'
import type { Extent, Point } from '../../src/core/image.ts'
import { placeWindow } from '../../src/plan/window.ts'
import { type HeadsShown, headsIn, judgeHeads, summariseHeads } from './heads.ts'
import type { Rectangle } from './labels.ts'
import { type Shown, scoreWindow, summarise } from './score.ts'

/** The shapes of the figures, and two more that are judged apart. */
export const SHAPES: Readonly<Record<string, Extent>> = {
  '1:1': { width: 400, height: 400 },
  '16:9': { width: 640, height: 360 },
  '3:4': { width: 300, height: 400 },
  '2:1': { width: 600, height: 300 },
}
export const EXTREME: Readonly<Record<string, Extent>> = {
  '1:2': { width: 200, height: 400 },
  '3:1': { width: 600, height: 200 },
}

/** The windows of a picture, by shape, and how they show its labels. */
export interface Judged {
  readonly set: string
  /** Where the window begins along the side on which it moves, as a share of it. */
  readonly starts: readonly number[]
  readonly shown: readonly Shown[]
  readonly extreme: readonly Shown[]
  readonly heads: readonly HeadsShown[]
}

interface Picture {
  readonly set: string
  readonly file: string
  readonly image: Extent
  readonly scene: Scene
  readonly subject?: Rectangle | undefined
}

type Choose = (scenes: readonly Scene[], output: Extent) => Point

/** Places the windows of all shapes for a scene. */
export const judgeWindows = ({ set, file, image, subject }: Picture, scene: Scene, choose: Choose): Judged => {
  const place = (output: Extent) => placeWindow(image, output, roundFocus(choose([scene], output)))
  const usual = Object.values(SHAPES).map(place)
  const extreme = Object.values(EXTREME).map(place)
  const windows = [...usual, ...extreme]
  const heads = set.startsWith('fold') ? headsIn(basename(file)) : []
  return {
    set,
    starts: windows.map(({ left, top }) => Math.max(left / image.width, top / image.height)),
    shown: subject === undefined ? [] : usual.map((window) => scoreWindow(window, subject)),
    extreme: subject === undefined ? [] : extreme.map((window) => scoreWindow(window, subject)),
    heads: heads.length === 0 ? [] : windows.map((window) => judgeHeads(heads, window, image)),
  }
}

/** The figures of some pictures: the four usual shapes, the extreme ones, heads. */
export const summariseJudged = (judged: readonly Judged[]): string => {
  const shown = summarise(judged.flatMap((one) => one.shown))
  const extreme = summarise(judged.flatMap((one) => one.extreme))
  return `${shown}; ${extreme}; ${summariseHeads(judged.flatMap(({ heads }) => heads))}`
}
