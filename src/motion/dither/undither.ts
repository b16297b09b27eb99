import { GIF } from '../../core/gif-numbers.ts'
import type { Raster } from '../../core/image.ts'
import { countColours } from '../../formats/palette/histogram.ts'

/** A frame with more colours is no dithered GIF frame, nor a few of them composed. */
const MAX_COLOURS = 2 * GIF.maxColours
/** Half the side of the window in which specks are counted, in px. */
const COUNTED = 6
/**
 * Share of specks in a window: up to `few` its middle stays, from `many` on it is wholly averaged.
 * A speck in flat surroundings counts as `dot` ones, since a tone near to a colour of the palette has few.
 */
const SPECK_SHARE = { few: 0.06, many: 0.16, dot: 3 } as const
/** Weights of the primaries in luma. */
const [RED, GREEN, BLUE] = [0.3, 0.59, 0.11]
/** How far apart two colours may be that a dither mixes. */
const REACH = {
  /** In distances of a colour to its `nearest`-th neighbour in the palette. */
  spacings: 2.2,
  /** Rank of that neighbour. */
  nearest: 3,
  /** Lower bound, in sample values (root of the weighted sum of squares). */
  min: 12,
  /** Upper bound, likewise. */
  max: 72,
} as const

/** Distance of two colours: squares weighted like luma, so that a grey step counts its own height. Infinite for colours that are not opaque. */
const distance = (colours: Uint8Array, a: number, b: number): number => {
  if (a === b) return 0
  if (colours[a * 4 + 3]! < 255 || colours[b * 4 + 3]! < 255) return Number.POSITIVE_INFINITY
  const apart = (channel: number): number => colours[a * 4 + channel]! - colours[b * 4 + channel]!
  return Math.sqrt(RED * apart(0) ** 2 + GREEN * apart(1) ** 2 + BLUE * apart(2) ** 2)
}

const lumasOf = (colours: Uint8Array): Float32Array =>
  Float32Array.from(
    { length: colours.length / 4 },
    (_, i) => RED * colours[i * 4]! + GREEN * colours[i * 4 + 1]! + BLUE * colours[i * 4 + 2]!,
  )

/** The REACH.nearest-th smallest of a colour's distances to all others, itself not counted. Infinite in a smaller palette. */
const smallest = (distances: Float32Array): number => {
  const least = new Array<number>(REACH.nearest + 1).fill(Number.POSITIVE_INFINITY)
  for (const one of distances) {
    if (one >= least[REACH.nearest]!) continue
    let place = REACH.nearest
    for (; place > 0 && least[place - 1]! > one; place--) least[place] = least[place - 1]!
    least[place] = one
  }
  return least[REACH.nearest]!
}

/** n x n table: 1 for two colours that a dither may mix. */
const pairTable = (colours: Uint8Array): Uint8Array => {
  const n = colours.length / 4
  const between = new Float32Array(n * n)
  const reach = new Float32Array(n)
  for (let a = 0; a < n; a++) {
    for (let b = 0; b < n; b++) between[a * n + b] = distance(colours, a, b)
    reach[a] = Math.max(REACH.min, Math.min(REACH.max, REACH.spacings * smallest(between.subarray(a * n, (a + 1) * n))))
  }
  const pairs = new Uint8Array(n * n)
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b++) pairs[a * n + b] = between[a * n + b]! <= Math.max(reach[a]!, reach[b]!) ? 1 : 0
  return pairs
}

interface Indexed {
  readonly width: number
  readonly height: number
  /** For each pixel the number of its colour. */
  readonly ids: Uint16Array
  readonly pairs: Uint8Array
  readonly count: number
  readonly lumas: Float32Array
}

/** Marks specks: pixels that differ from all four neighbours towards the same side across and down, by colours that a dither mixes. */
const markSpecks = ({ width, height, ids, pairs, count, lumas }: Indexed): Uint8Array => {
  const specks = new Uint8Array(width * height)
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1, i = y * width + 1; x < width - 1; x++, i++) {
      const id = ids[i]!
      const [left, right, up, down] = [ids[i - 1]!, ids[i + 1]!, ids[i - width]!, ids[i + width]!]
      if (id === left || id === right || id === up || id === down) continue
      const row = id * count
      if ((pairs[row + left]! & pairs[row + right]! & pairs[row + up]! & pairs[row + down]!) === 0) continue
      const luma = lumas[id]!
      const across = (luma - lumas[left]!) * (luma - lumas[right]!)
      const along = (luma - lumas[up]!) * (luma - lumas[down]!)
      if (across <= 0 || along <= 0) continue
      const isAlone = [left, right, up, down, ids[i - width - 1], ids[i - width + 1], ids[i + width - 1]].every(
        (other) => other === ids[i + width + 1],
      )
      specks[i] = isAlone ? SPECK_SHARE.dot : 1
    }
  }
  return specks
}

/** Sums over windows of side 2 x reach + 1, cut at the edges, as parts of their areas. */
const shareIn = (marks: Uint8Array, width: number, height: number, reach: number): Float32Array => {
  const stride = width + 1
  const sums = new Uint32Array(stride * (height + 1))
  for (let y = 0; y < height; y++) {
    let row = 0
    for (let x = 0; x < width; x++) {
      row += marks[y * width + x]!
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row
    }
  }
  const shares = new Float32Array(width * height)
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.max(0, y - reach) * stride, Math.min(height, y + reach + 1) * stride]
    for (let x = 0; x < width; x++) {
      const [left, right] = [Math.max(0, x - reach), Math.min(width, x + reach + 1)]
      const sum = sums[bottom + right]! - sums[bottom + left]! - sums[top + right]! + sums[top + left]!
      shares[y * width + x] = sum / (((bottom - top) / stride) * (right - left))
    }
  }
  return shares
}

/** Brings a pixel nearer, by the part `much`, to the mean of those around it whose colours a dither mixes with its own. */
const soften = (
  from: Raster,
  to: Uint8Array,
  { width, height, ids, pairs, count }: Indexed,
  i: number,
  much: number,
): void => {
  const { data, channels } = from
  const [x, y] = [i % width, Math.floor(i / width)]
  const own = ids[i]! * count
  let red = 0
  let green = 0
  let blue = 0
  let weights = 0
  for (let dy = -1; dy <= 1; dy++) {
    if (y + dy < 0 || y + dy >= height) continue
    for (let dx = -1; dx <= 1; dx++) {
      const at = i + dy * width + dx
      if (x + dx < 0 || x + dx >= width || pairs[own + ids[at]!] === 0) continue
      const weight = (2 - dx * dx) * (2 - dy * dy)
      red += weight * data[at * channels]!
      green += weight * data[at * channels + 1]!
      blue += weight * data[at * channels + 2]!
      weights += weight
    }
  }
  const at = i * channels
  to[at] = Math.round(data[at]! + much * (red / weights - data[at]!))
  to[at + 1] = Math.round(data[at + 1]! + much * (green / weights - data[at + 1]!))
  to[at + 2] = Math.round(data[at + 2]! + much * (blue / weights - data[at + 2]!))
}

/** A frame with its dither averaged out, and how much of it was dithered, 0 to 1. */
export interface Undithered {
  readonly frame: Raster
  readonly dithered: number
}

/**
 * Takes the dither out of a frame by a sigma filter (Lee 1983) whose threshold comes from the palette.
 * Where many pixels stand out from all their neighbours by colours that a dither mixes, each becomes the mean of such colours around it.
 * Edges between colours that are farther apart stay. Returns a frame with more than 512 colours as it is.
 */
export const undither = (frame: Raster): Undithered => {
  const { width, height } = frame
  if (width < 3 || height < 3) return { frame, dithered: 0 }
  const { colours, counts, entries: ids } = countColours(frame)
  if (counts.length > MAX_COLOURS) return { frame, dithered: 0 }
  const looked: Indexed = {
    width,
    height,
    ids,
    pairs: pairTable(colours),
    count: counts.length,
    lumas: lumasOf(colours),
  }
  const shares = shareIn(markSpecks(looked), width, height, COUNTED)
  const data = Uint8Array.from(frame.data)
  let dithered = 0
  for (let i = 0; i < ids.length; i++) {
    const much = Math.max(0, Math.min(1, (shares[i]! - SPECK_SHARE.few) / (SPECK_SHARE.many - SPECK_SHARE.few)))
    if (much === 0) continue
    dithered += much
    soften(frame, data, looked, i, much)
  }
  return { frame: { ...frame, data }, dithered: dithered / ids.length }
}
