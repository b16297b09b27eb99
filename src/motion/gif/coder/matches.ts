import { type Dictionary, MOST_CODES, NONE } from './dictionary.ts'
import { COORDINATES, type CodableFrame, LEAVE, type Loss } from './frame.ts'
import { openLumaOrder } from './palette.ts'

/** Share of a pixel's error that the next one makes up for, and that the one below does: the mean colour of a place stays. */
const ONWARD = 0.45
const DOWN = 0.45

/** A string of the dictionary in the place of pixels. */
export interface StringMatch {
  code: number
  /** Pixels. */
  length: number
  /** Weighted squared errors of them all. */
  error: number
}

/** Finds strings that stand for the pixels from one on. */
export interface Matches {
  /** The best from a pixel on, where a pixel more is worth `worth` of error. What it gives is overwritten by the next call. */
  readonly best: (from: number, worth: number) => StringMatch
  /** Takes a match: `symbols` of its pixels get their values, and its errors go on to the pixels after it and below. */
  readonly take: (match: StringMatch, from: number) => void
  readonly symbols: Uint16Array
}

/** Opens the search for matches of a frame. Each string of the dictionary is looked at once at most for a match. */
export const openMatches = (frame: CodableFrame, dictionary: Dictionary, { most }: Loss): Matches => {
  const { width, height, wanted, shown, leave, weights, colours } = frame
  const { child, sibling, last, parent } = dictionary
  const pixels = width * height
  const leaving = colours.length / COORDINATES
  const firstOf = openLumaOrder(colours)
  const symbols = new Uint16Array(pixels)
  /** By pixel what those above it hand down. */
  const above = new Float32Array((pixels + width) * COORDINATES)
  /** What the next pixel has to make up for. */
  const carried = new Float32Array(COORDINATES)
  /** Strings still to be continued: their codes, last pixels, errors so far, and what they hand on. */
  const codes = new Int16Array(MOST_CODES)
  const ends = new Int32Array(MOST_CODES)
  const errors = new Float32Array(MOST_CODES)
  const onward = new Float32Array(MOST_CODES * COORDINATES)
  let open = 0
  const match: StringMatch = { code: 0, length: 0, error: 0 }
  /** The error of the symbol that was weighed last, along each axis. */
  const off = new Float32Array(COORDINATES)

  /** The squared error of a symbol at a pixel; -1 where it may not be there. */
  const weigh = (symbol: number, pixel: number, a: number, b: number, c: number): number => {
    const may = leave[pixel]
    const isLeft = symbol === leaving
    if (isLeft ? may === LEAVE.NEVER : may === LEAVE.MUST) return -1
    off[0] = 0
    off[1] = 0
    off[2] = 0
    if (may === LEAVE.MUST) return 0
    const at = pixel * COORDINATES
    const from = isLeft ? shown : colours
    const to = isLeft ? at : symbol * COORDINATES
    let x = wanted[at]! - from[to]!
    let y = wanted[at + 1]! - from[to + 1]!
    let z = wanted[at + 2]! - from[to + 2]!
    // The very colour is right whatever its neighbours lack.
    if (x === 0 && y === 0 && z === 0) return 0
    x += a + above[at]!
    y += b + above[at + 1]!
    z += c + above[at + 2]!
    off[0] = x
    off[1] = y
    off[2] = z
    return (x * x + y * y + z * z) * weights[pixel]!
  }

  const offer = (code: number, pixel: number, error: number): void => {
    codes[open] = code
    ends[open] = pixel
    errors[open] = error
    onward[open * COORDINATES] = off[0]! * ONWARD
    onward[open * COORDINATES + 1] = off[1]! * ONWARD
    onward[open * COORDINATES + 2] = off[2]! * ONWARD
    open += 1
  }

  /** The nearest colour, where none is near enough. */
  const offerNearest = (pixel: number): void => {
    let nearest = 0
    let least = Number.POSITIVE_INFINITY
    for (let symbol = 0; symbol < leaving; symbol += 1) {
      const error = weigh(symbol, pixel, 0, 0, 0)
      if (error >= least) continue
      least = error
      nearest = symbol
    }
    offer(nearest, pixel, weigh(nearest, pixel, 0, 0, 0))
  }

  const begin = (from: number): void => {
    open = 0
    const isRowStart = from % width === 0
    const a = isRowStart ? 0 : carried[0]!
    const b = isRowStart ? 0 : carried[1]!
    const c = isRowStart ? 0 : carried[2]!
    // What is farther in luma alone than a pixel may err need not be looked at; its own colour may err from what is handed on.
    const luma = wanted[from * COORDINATES]!
    const handed = a + above[from * COORDINATES]!
    const reach = Math.sqrt(most / weights[from]!)
    const end = firstOf(luma + Math.max(0, handed) + reach + 1)
    for (let symbol = firstOf(luma + Math.min(0, handed) - reach); symbol < end; symbol += 1) {
      const error = weigh(symbol, from, a, b, c)
      if (error >= 0 && error <= most) offer(symbol, from, error)
    }
    const left = weigh(leaving, from, a, b, c)
    if (left >= 0 && left <= most) offer(leaving, from, left)
    if (open === 0) offerNearest(from)
  }

  const best = (from: number, worth: number): StringMatch => {
    begin(from)
    let highest = Number.NEGATIVE_INFINITY
    while (open > 0) {
      open -= 1
      const code = codes[open]!
      const end = ends[open]!
      const error = errors[open]!
      const length = end - from + 1
      const value = worth * length - error
      if (value > highest || (value === highest && length > match.length)) {
        highest = value
        match.code = code
        match.length = length
        match.error = error
      }
      const next = end + 1
      if (next === pixels) continue
      const keeps = next % width === 0 ? 0 : 1
      const a = onward[open * COORDINATES]! * keeps
      const b = onward[open * COORDINATES + 1]! * keeps
      const c = onward[open * COORDINATES + 2]! * keeps
      for (let longer = child[code]!; longer !== NONE; longer = sibling[longer]!) {
        const more = weigh(last[longer]!, next, a, b, c)
        if (more >= 0 && more <= most) offer(longer, next, error + more)
      }
    }
    return match
  }

  const take = ({ code, length }: StringMatch, from: number): void => {
    for (let pixel = from + length - 1, at = code; pixel >= from; pixel -= 1, at = parent[at]!)
      symbols[pixel] = last[at]!
    for (let pixel = from; pixel < from + length; pixel += 1) {
      const keeps = pixel % width === 0 ? 0 : 1
      weigh(symbols[pixel]!, pixel, carried[0]! * keeps, carried[1]! * keeps, carried[2]! * keeps)
      for (let axis = 0; axis < COORDINATES; axis += 1) {
        carried[axis] = off[axis]! * ONWARD
        above[(pixel + width) * COORDINATES + axis] = off[axis]! * DOWN
      }
    }
  }

  return { best, take, symbols }
}
