import type { Box } from '../../src/core/image.ts'
import type { Coding } from '../../src/motion/gif/coder/code-animation.ts'
import { COORDINATES, type CodableAnimation, type Loss } from '../../src/motion/gif/coder/frame.ts'
import { type CoderPalette, pointsOf } from '../../src/motion/gif/coder/palette.ts'
import { errorWeights } from '../../src/motion/gif/coder/visibility.ts'

/** A frame as the plain definition of our GIF coder has it, without anything that only saves time. */
export interface PlainlyCoded {
  readonly box: Box
  readonly clears: boolean
  readonly codeSize: number
  readonly codes: Uint8Array
  /** RGBA of the canvas. */
  readonly shown: Uint8Array
}

type Point = readonly [number, number, number]
const NOTHING: Point = [0, 0, 0]
const each = (a: Point, b: Point, of: (a: number, b: number) => number): Point => [
  of(a[0], b[0]),
  of(a[1], b[1]),
  of(a[2], b[2]),
]
const minus = (a: Point, b: Point): Point => each(a, b, (x, y) => x - y)
const plus = (a: Point, b: Point): Point => each(a, b, (x, y) => x + y)
const squared = ([x, y, z]: Point): number => x * x + y * y + z * z
const isSame = (a: Point, b: Point): boolean => squared(minus(a, b)) === 0
/** Share of an error that the next pixel and the one below get, as a 32-bit float. */
const handedOn = (off: Point): Point => each(off, off, (x) => Math.fround(Math.fround(x) * 0.45))

/** A pixel of the box: what it shall show, what is there, and how much a squared error counts. */
interface Pixel {
  readonly wanted: Point
  readonly isOpaque: boolean
  readonly there: Point | undefined
  readonly weight: number
  above: Point
}

/** A string of the dictionary: another one with a symbol more. */
interface Entry {
  readonly code: number
  readonly parent: Entry | undefined
  symbol: number
  /** The oldest first. */
  readonly longer: Entry[]
}

interface Found {
  readonly entry: Entry
  readonly length: number
  readonly error: number
}

interface Weighed {
  readonly off: Point
  readonly error: number
}

const symbolsOf = (entry: Entry): number[] => [...(entry.parent ? symbolsOf(entry.parent) : []), entry.symbol]

const pack = (codes: readonly (readonly [code: number, bits: number])[]): Uint8Array => {
  const bits = codes.flatMap(([code, count]) => Array.from({ length: count }, (_, bit) => (code >> bit) & 1))
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((sum, bit, place) => sum + (bit << place), 0),
  )
}

/** Codes a box; gives the codes and the symbols. */
const codeBox = (pixels: readonly Pixel[], width: number, palette: readonly Point[], { perBit, most }: Loss) => {
  const leaving = palette.length
  const count = leaving + (pixels.some(({ isOpaque, there }) => !isOpaque || there !== undefined) ? 1 : 0)
  const codeSize = Math.max(2, Math.ceil(Math.log2(count)))
  const clear = 1 << codeSize
  const bit = perBit > 0 ? perBit : 1

  /** The error of a symbol at a pixel; undefined where it may not be there. */
  const weigh = (symbol: number, at: number, carried: Point): Weighed | undefined => {
    const { wanted, isOpaque, there, weight, above } = pixels[at]!
    if (!isOpaque) return symbol === leaving ? { off: NOTHING, error: 0 } : undefined
    const colour = symbol === leaving ? there : palette[symbol]!
    if (colour === undefined) return undefined
    if (isSame(wanted, colour)) return { off: NOTHING, error: 0 }
    const off = plus(minus(wanted, colour), plus(at % width === 0 ? NOTHING : carried, above))
    return { off, error: squared(off) * weight }
  }

  let roots: Entry[] = []
  let latest: Entry | undefined
  let next = 0
  let bits = 0
  const restart = (): void => {
    roots = Array.from({ length: count }, (_, code) => ({ code, parent: undefined, symbol: code, longer: [] }))
    latest = undefined
    next = clear + 2
    bits = codeSize + 1
  }

  /** The string that is worth most from a pixel on: of equals the longest, of these the first found. */
  const find = (from: number, worth: number, carried: Point): Found => {
    let best: Found | undefined
    const worthOf = ({ length, error }: Found): number => worth * length - error
    const consider = (entry: Entry, at: number, { off, error }: Weighed, sum: number): void => {
      const found = { entry, length: at - from + 1, error: Math.fround(sum + error) }
      const better = best === undefined ? 1 : worthOf(found) - worthOf(best)
      if (better > 0 || (better === 0 && found.length > best!.length)) best = found
      if (at + 1 < pixels.length) visit(entry.longer, at + 1, handedOn(off), found.error)
    }
    const visit = (entries: readonly Entry[], at: number, before: Point, sum: number): void => {
      for (const entry of entries) {
        const weighed = weigh(entry.symbol, at, before)
        if (weighed !== undefined && weighed.error <= most) consider(entry, at, weighed, sum)
      }
    }
    visit(roots.toReversed(), from, carried, 0)
    if (best !== undefined) return best
    // None is near enough: the nearest colour then, whatever the pixel before hands on.
    const all = palette.map((_, symbol) => weigh(symbol, from, NOTHING)!)
    const nearest = all.indexOf(all.reduce((least, one) => (one.error < least.error ? one : least)))
    consider(roots[nearest]!, from, all[nearest]!, 0)
    return best!
  }

  restart()
  const codes: [number, number][] = [[clear, bits]]
  const symbols: number[] = []
  let carried = NOTHING
  let worth = (bit * 11) / 4
  let [sum, cost, lately] = [0, 0, 0]
  while (symbols.length < pixels.length) {
    const from = symbols.length
    // The string that the decoder adds with the next code. Until that is chosen, it can only be the latest string and its own first symbol.
    const learns = latest !== undefined && next < 4096
    const expected: Entry = { code: next, parent: latest, symbol: latest ? symbolsOf(latest)[0]! : 0, longer: [] }
    const learn = (): void => {
      if (learns && latest!.longer.every(({ symbol }) => symbol !== expected.symbol)) latest!.longer.push(expected)
    }
    learn()
    if (learns) next += 1
    const found = find(from, worth, carried)
    const [first, ...rest] = symbolsOf(found.entry)
    if (learns && expected.symbol !== first) {
      if (latest!.longer.at(-1) === expected) latest!.longer.pop()
      expected.symbol = first!
      learn()
    }
    codes.push([found.entry.code, bits])
    const paid = bit * bits + found.error
    latest = found.entry
    if (next === 1 << bits && bits < 12) bits += 1
    for (const symbol of [first!, ...rest]) {
      const at = symbols.push(symbol) - 1
      carried = handedOn(weigh(symbol, at, carried)!.off)
      const below = pixels[at + width]
      if (below !== undefined) below.above = carried
    }
    worth += (paid - worth * found.length) / 400
    const isFull = next >= 4096
    sum += found.length
    cost += paid
    lately = isFull ? lately + (paid - lately * found.length) / 1600 : cost / sum
    if (!isFull || lately <= (cost / sum) * 1.05 || symbols.length === pixels.length) continue
    codes.push([clear, bits])
    restart()
    sum = 0
    cost = 0
  }
  codes.push([clear + 1, bits])
  return { codeSize, codes: pack(codes), symbols }
}

/** The least box around some pixels; one pixel where there are none. */
const boxAround = (drawn: readonly number[], width: number): Box => {
  if (drawn.length === 0) return { left: 0, top: 0, width: 1, height: 1 }
  const [xs, ys] = [drawn.map((at) => at % width), drawn.map((at) => Math.floor(at / width))]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  return { left, top, width: Math.max(...xs) - left + 1, height: Math.max(...ys) - top + 1 }
}

const asPoints = (points: Float32Array): Point[] =>
  Array.from({ length: points.length / COORDINATES }, (_, at) => [...points.subarray(at * 3, at * 3 + 3)] as never)

/** For how many frames in a row, this one among them, a pixel keeps its colour. */
const framesKept = ({ width, height, frames, entries }: CodableAnimation, frame: number, pixel: number): number => {
  const colourIn = (number: number) => entries[number * width * height + pixel]
  let end = frame + 1
  while (end < frames && colourIn(end) === colourIn(frame)) end += 1
  return end - frame
}

/** Codes an animation frame by frame, each over what is there. */
export function* codePlainly(animation: CodableAnimation, { paletteOf, lossOf }: Coding): Generator<PlainlyCoded> {
  const { width, height, frames, colours, entries } = animation
  const size = width * height
  const points = asPoints(pointsOf(colours))
  const canvas: (readonly [point: Point, colour: Uint8Array] | undefined)[] = new Array(size).fill(undefined)
  const isOpaque = (entry: number | undefined): boolean => entry !== undefined && colours[entry * 4 + 3] !== 0
  for (let number = 0; number < frames; number += 1) {
    const [palette, loss]: [CoderPalette, Loss] = [paletteOf(number), lossOf(number)]
    const wish = entries.subarray(number * size, (number + 1) * size)
    const next = number + 1 < frames ? entries.subarray((number + 1) * size, (number + 2) * size) : undefined
    const seen = errorWeights(
      Float32Array.from(wish, (entry) => points[entry]![0]),
      animation,
    )
    const weights = seen.map((weight, at) => weight * Math.sqrt(framesKept(animation, number, at)))
    const opaque = [...wish.keys()].filter((at) => isOpaque(wish[at]))
    const vanishing = opaque.filter((at) => next !== undefined && !isOpaque(next[at]))
    const drawn = opaque.filter((at) => {
      const there = canvas[at]
      const isNear = there !== undefined && squared(minus(points[wish[at]!]!, there[0])) * weights[at]! <= loss.most
      return !isNear || vanishing.includes(at)
    })
    const box = boxAround(drawn, width)
    const inside = Array.from(
      { length: box.width * box.height },
      (_, i) => (box.top + Math.floor(i / box.width)) * width + box.left + (i % box.width),
    )
    const pixels = inside.map((at) => ({
      wanted: points[wish[at]!]!,
      isOpaque: isOpaque(wish[at]),
      there: canvas[at]?.[0],
      weight: weights[at]!,
      above: NOTHING,
    }))
    const palettePoints = asPoints(palette.points)
    const { codeSize, codes, symbols } = codeBox(pixels, box.width, palettePoints, loss)
    for (const [i, at] of inside.entries()) {
      const symbol = symbols[i]!
      if (symbol < palettePoints.length)
        canvas[at] = [palettePoints[symbol]!, palette.colours.subarray(symbol * 4, symbol * 4 + 4)]
    }
    const shown = Uint8Array.from(canvas.flatMap((pixel) => (pixel ? [...pixel[1]] : [0, 0, 0, 0])))
    yield { box, clears: vanishing.length > 0, codeSize, codes, shown }
    if (vanishing.length > 0) for (const at of inside) canvas[at] = undefined
  }
}
