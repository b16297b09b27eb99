import type { ColourCounts } from './histogram.ts'

/** Coordinates of a colour where distance is about what the eye (and the metric) sees: luma, two chromas, alpha. */
export const AXES = 4
/** Scales of the axes: luma most, and alpha nearly as much as the light that it lets through. */
const SCALE = [1.2, 1, 1, 0.8] as const
/**
 * Steps count for less in the dark. Of 24 drawings, palettes of 24 to 96 colours scored 1 to 3 points higher than with
 * sRGB as it is, chroma at 0.75 and weights that favoured small details.
 */
const BRIGHTNESS = Float64Array.from({ length: 256 }, (_, value) => 255 * (value / 255) ** 1.25)

/** RGBA bytes as points (four floats each), premultiplied so that what hardly shows hardly counts. */
export const toPoints = (colours: Uint8Array): Float32Array => {
  const points = new Float32Array(colours.length)
  for (let at = 0; at < colours.length; at += 4) {
    const alpha = colours[at + 3]! / 255
    const r = BRIGHTNESS[colours[at]!]! * alpha
    const g = BRIGHTNESS[colours[at + 1]!]! * alpha
    const b = BRIGHTNESS[colours[at + 2]!]! * alpha
    const y = 0.3 * r + 0.6 * g + 0.1 * b
    points[at] = y * SCALE[0]
    points[at + 1] = (r - y) * SCALE[1]
    points[at + 2] = (b - y) * SCALE[2]
    points[at + 3] = colours[at + 3]! * SCALE[3]
  }
  return points
}

const KNOWN = new WeakMap<Uint8Array, Float32Array>()

/** The points of a histogram's colours, worked out once: up to 65,536 take a megabyte, and every palette needs them. Not to be changed. */
export const histogramPoints = ({ colours }: Pick<ColourCounts, 'colours'>): Float32Array => {
  const points = KNOWN.get(colours) ?? toPoints(colours)
  KNOWN.set(colours, points)
  return points
}

interface Cluster {
  readonly members: Uint32Array
  /** Weighted sum of squared distances from the mean. */
  readonly spread: number
  readonly axis: number
  readonly mean: number
}

const describe = (members: Uint32Array, points: Float32Array, counts: Uint32Array): Cluster => {
  let total = 0
  const sums = new Float64Array(AXES)
  const squares = new Float64Array(AXES)
  for (let at = 0; at < members.length; at += 1) {
    const member = members[at]!
    const weight = counts[member]!
    total += weight
    for (let c = 0; c < AXES; c += 1) {
      const value = points[member * AXES + c]!
      sums[c]! += weight * value
      squares[c]! += weight * value * value
    }
  }
  const spreads = [...sums].map((sum, c) => squares[c]! - (sum * sum) / total)
  const axis = spreads.indexOf(Math.max(...spreads))
  return {
    members,
    spread: members.length < 2 ? 0 : spreads.reduce((sum, one) => sum + one, 0),
    axis,
    mean: sums[axis]! / total,
  }
}

/** The members of a cluster up to its mean, and those above. */
const halvesOf = ({ members, axis, mean }: Cluster, points: Float32Array): readonly [Uint32Array, Uint32Array] => {
  const low = new Uint32Array(members.length)
  const high = new Uint32Array(members.length)
  let lows = 0
  for (let at = 0; at < members.length; at += 1) {
    const member = members[at]!
    if (points[member * AXES + axis]! <= mean) low[lows++] = member
    else high[at - lows] = member
  }
  return [low.slice(0, lows), high.slice(0, members.length - lows)]
}

/**
 * Splits the colours of an image again and again, always the cluster that errs most, until there are `most` clusters or nothing is left to split.
 * Returns for each number of clusters which of them each colour is in.
 */
export const divide = (histogram: ColourCounts, most: number): ((size: number) => Uint16Array) => {
  const points = histogramPoints(histogram)
  const { counts } = histogram
  const clusters = [describe(Uint32Array.from(counts.keys()), points, counts)]
  /** The cluster that each was split from. */
  const parents = [0]
  while (clusters.length < most) {
    const worst = splitWorst(clusters, points, counts)
    if (worst === undefined) break
    if (parents.length < clusters.length) parents.push(worst)
  }
  const finest = new Uint16Array(counts.length)
  for (const [number, { members }] of clusters.entries())
    for (let at = 0; at < members.length; at += 1) finest[members[at]!] = number
  return (size) => {
    const merged = Uint16Array.from(parents.keys())
    for (let number = size; number < merged.length; number += 1) merged[number] = merged[parents[number]!]!
    return finest.map((number) => merged[number]!)
  }
}

/** Splits the cluster of the largest error where its colours differ. Returns its number, or undefined where no cluster can be split. */
const splitWorst = (clusters: Cluster[], points: Float32Array, counts: Uint32Array): number | undefined => {
  let worst = 0
  for (let at = 1; at < clusters.length; at += 1) if (clusters[at]!.spread > clusters[worst]!.spread) worst = at
  const cluster = clusters[worst]!
  if (cluster.spread <= 1e-3) return undefined
  const [low, high] = halvesOf(cluster, points)
  if (low.length === 0 || high.length === 0) {
    clusters[worst] = { ...cluster, spread: 0 }
    return worst
  }
  clusters[worst] = describe(low, points, counts)
  clusters.push(describe(high, points, counts))
  return worst
}

/** Part of a palette that is kept for colours of their own: few pixels have no say where clusters are divided by what all err. */
const SEEDED = 1 / 8
/** In the units of the points; colours that err by less than this are served well enough. */
export const VISIBLY_OFF = 12
/** Pixels beyond which a colour counts for no more. */
const MANY = 200

/**
 * Clusters for a palette of `size` colours. Seven eighths come from dividing the clusters of largest error (`groups`). The rest are added one by
 * one around the colour of largest error, whose pixels count up to MANY. So small areas in a colour of their own keep it.
 * Undefined if all colours have an entry near them before `size` is reached.
 */
export const seedRareColours = (
  histogram: ColourCounts,
  groups: Uint16Array,
  size: number,
): Uint16Array | undefined => {
  const points = histogramPoints(histogram)
  const { table, nearest } = settlePalette(histogram, groups, 2)
  const targets = toPoints(table)
  const seeded = Uint16Array.from(nearest)
  const errors = Float64Array.from(nearest, (entry, colour) => distanceOf(points, colour, targets, entry))
  for (let next = table.length / AXES; next < size; next += 1) {
    const seed = mostWanting(errors, histogram.counts)
    if (seed === undefined) return undefined
    for (let colour = 0; colour < errors.length; colour += 1) {
      const distance = distanceOf(points, colour, points, seed)
      if (distance >= errors[colour]!) continue
      errors[colour] = distance
      seeded[colour] = next
    }
  }
  return seeded
}

const mostWanting = (errors: Float64Array, counts: Uint32Array): number | undefined => {
  let worst: number | undefined
  let most = 0
  for (let colour = 0; colour < errors.length; colour += 1) {
    const weight = errors[colour]! * Math.min(MANY, counts[colour]!)
    if (errors[colour]! <= VISIBLY_OFF ** 2 || weight <= most) continue
    most = weight
    worst = colour
  }
  return worst
}

/** Number of clusters that are found by dividing, for a palette of `size`; the others are seeded. */
export const dividedPart = (size: number): number => Math.max(1, size - Math.max(1, Math.floor(size * SEEDED)))

/** A palette, RGBA bytes, and for each colour of the histogram the palette's nearest. */
export interface Palette {
  readonly table: Uint8Array
  readonly nearest: Uint16Array
}

/** A colour with this share of its cluster's pixels is kept exactly: flat areas must not shift. Smaller shares cost score. */
const DOMINANT = 0.6

/** Moves the clusters' colours to where they err least (Lloyd's steps), and rounds them to bytes. */
export const settlePalette = (histogram: ColourCounts, groups: Uint16Array, rounds: number): Palette => {
  const points = histogramPoints(histogram)
  let nearest = groups
  let table = averageGroups(histogram, nearest)
  for (let round = 0; round < rounds; round += 1) {
    nearest = findNearest(points, toPoints(table), nearest)
    table = averageGroups(histogram, nearest)
  }
  return { table, nearest: findNearest(points, toPoints(table), nearest) }
}

const averageGroups = ({ colours, counts }: ColourCounts, groups: Uint16Array): Uint8Array => {
  const size = groups.reduce((most, group) => Math.max(most, group), 0) + 1
  const sums = new Float64Array(size * 6)
  const top = new Int32Array(size).fill(-1)
  for (let at = 0; at < groups.length; at += 1) {
    const group = groups[at]!
    const weight = counts[at]!
    const alpha = colours[at * 4 + 3]!
    for (let c = 0; c < 3; c += 1) sums[group * 6 + c]! += weight * alpha * colours[at * 4 + c]!
    sums[group * 6 + 3]! += weight * alpha
    sums[group * 6 + 4]! += weight
    sums[group * 6 + 5]! += counts[at]!
    if (top[group] === -1 || counts[at]! > counts[top[group]!]!) top[group] = at
  }
  const table = new Uint8Array(size * 4)
  for (let group = 0; group < size; group += 1) {
    const from = top[group]!
    if (from === -1) continue
    const exact = counts[from]! >= DOMINANT * sums[group * 6 + 5]!
    const alphas = Math.max(sums[group * 6 + 3]!, 1e-9)
    for (let c = 0; c < 3; c += 1)
      table[group * 4 + c] = exact ? colours[from * 4 + c]! : Math.round(sums[group * 6 + c]! / alphas)
    table[group * 4 + 3] = exact ? colours[from * 4 + 3]! : Math.round(alphas / sums[group * 6 + 4]!)
  }
  return table
}

/** For each entry a quarter of the squared distance to its nearest other one: points nearer than that have no nearer entry (Elkan, 2003). */
const ownRadii = (palette: Float32Array): Float64Array => {
  const radii = new Float64Array(palette.length / AXES).fill(Number.POSITIVE_INFINITY)
  for (let one = 1; one < radii.length; one += 1)
    for (let other = 0; other < one; other += 1) {
      const radius = distanceOf(palette, one, palette, other) / 4
      if (radius < radii[one]!) radii[one] = radius
      if (radius < radii[other]!) radii[other] = radius
    }
  return radii
}

/** For each point its nearest entry; `guesses` make it faster. */
const findNearest = (points: Float32Array, palette: Float32Array, guesses: Uint16Array): Uint16Array => {
  // Searched outwards from the nearest luma: what is farther in luma alone need not be looked at.
  const order = Uint16Array.from({ length: palette.length / AXES }, (_, at) => at).sort(
    (a, b) => palette[a * AXES]! - palette[b * AXES]!,
  )
  const lumas = Float32Array.from(order, (at) => palette[at * AXES]!)
  const ordered = new Float32Array(palette.length)
  for (const [place, entry] of order.entries())
    ordered.set(palette.subarray(entry * AXES, (entry + 1) * AXES), place * AXES)
  const radii = ownRadii(palette)
  const nearest = Uint16Array.from(guesses)
  for (let at = 0; at < nearest.length; at += 1) {
    const guessed = distanceOf(points, at, palette, nearest[at]!)
    if (guessed < radii[nearest[at]!]!) continue
    const luma = points[at * AXES]!
    let low = 0
    let high = lumas.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (lumas[middle]! < luma) low = middle + 1
      else high = middle
    }
    // Entries as near as the guess are looked at too, so the result does not depend on it.
    let best = guessed * (1 + Number.EPSILON) + Number.MIN_VALUE
    let down = low - 1
    let up = low
    while (down >= 0 || up < lumas.length) {
      const below = down >= 0 ? luma - lumas[down]! : Number.POSITIVE_INFINITY
      const above = up < lumas.length ? lumas[up]! - luma : Number.POSITIVE_INFINITY
      const step = Math.min(below, above)
      if (step * step >= best) break
      const place = below <= above ? down-- : up++
      const distance = distanceOf(points, at, ordered, place)
      if (distance < best) {
        best = distance
        nearest[at] = order[place]!
      }
    }
  }
  return nearest
}

/** Squared distance of two points. */
export const distanceOf = (points: Float32Array, a: number, others: Float32Array, b: number): number => {
  const p = a * AXES
  const q = b * AXES
  const y = points[p]! - others[q]!
  const u = points[p + 1]! - others[q + 1]!
  const v = points[p + 2]! - others[q + 2]!
  const alpha = points[p + 3]! - others[q + 3]!
  return y * y + u * u + v * v + alpha * alpha
}

/** Squared distance of two points in chroma. */
export const chromaDistance = (points: Float32Array, a: number, others: Float32Array, b: number): number =>
  (points[a * AXES + 1]! - others[b * AXES + 1]!) ** 2 + (points[a * AXES + 2]! - others[b * AXES + 2]!) ** 2
