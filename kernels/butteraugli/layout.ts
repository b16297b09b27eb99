/**
 * Where everything lies in linear memory. Both sides (reference, candidate) pass through the same stages row by row; what a
 * stage still needs of earlier rows lies in rings. Of the reference twelve planes are kept (or their latest rows).
 * There are two scales: the image, and its 2 x 2 mean.
 */

/** Rows that may be fed at once. */
export const CHUNK_ROWS: i32 = 32
/** Zeroed bytes around every work row: the widest filter reaches 16 floats, and loops run to whole groups of 16. */
export const MARGIN: usize = 64
/** Bytes of a group of columns: 16 floats. */
export const GROUP: usize = 64
/** Px of the shorter side from which the low and the middle band are made of cells: below, what lies at the edges is too much of them. */
const MIN_CELLS_SIDE: i32 = 48
/** Side of the square tiles that are pooled apart, as a shift; the last tile of a side takes the rest. */
export const TILE_SHIFT: i32 = 5
/** Doubles per tile: sums of the 3rd, 6th and 12th powers, and the maximum. */
export const TILE_BYTES: usize = 32
/** The sums so far of a tile in the row of tiles in hand: each power's as two doubles, and four floats, whose largest is the maximum. */
export const SUM_BYTES: usize = 64

/** Planes kept of the reference; where the image is small those of the low band and of the middle one's B too, else of these only cells. */
export const MIDDLE: i32 = 0
export const HIGH: i32 = 2
export const FINE: i32 = 4
export const ACTIVITY: i32 = 6
export const MASK: i32 = 7
export const LOW: i32 = 8
export const MIDDLE_B: i32 = 11
const PLANES: i32 = 8
const SMALL_PLANES: i32 = 12

/** Rows of each ring. */
export const LINEAR_ROWS: i32 = 3
export const SMOOTH_ROWS: i32 = 5
export const OPSIN_ROWS: i32 = 24
/** Rows of the low band's Gaussian where the image is small; else rows of 4 x 4 px cells, smoothed along; and rows of pixels of those, smoothed down too. */
export const LOW_ROWS: i32 = 33
export const CELL_ROWS: i32 = 10
export const SMOOTHED_ROWS: i32 = 2
/** Rows of what the candidate's cells differ by from the reference's: distances lag 28 rows of pixels behind the low band. */
export const TONE_CELL_ROWS: i32 = 10
export const REST_ROWS: i32 = 12
/** Rows of the middle band's Gaussian where the image is small; else rows of 2 x 2 px cells, smoothed along; and rows of pixels of those, smoothed down too. */
export const MIDDLE_ROWS: i32 = 15
export const MIDDLE_CELL_ROWS: i32 = 8
export const MIDDLE_SMOOTHED_ROWS: i32 = 3
/** Rows of B at half size, where the image is not small: of light, of the same smoothed along, and of what the candidate differs by, which waits for its low band. */
export const BLUE_LIGHT_ROWS: i32 = 3
export const BLUE_SMOOTH_ROWS: i32 = 3
export const BLUE_ROWS: i32 = 14
export const HIGH_ROWS: i32 = 4
export const FINE_ROWS: i32 = 7
export const ACTIVITY_ROWS: i32 = 13
export const DIFFERENCE_ROWS: i32 = 12
/** Maps that lines are sought in. */
const MAPS: i32 = 3
export const DETAIL_ROWS: i32 = 16
export const TONE_ROWS: i32 = 28
/** The half-size scale lags 90 rows behind at most. */
const DISTANCE_ROWS: i32 = 108
/** Rows of the reference that stay when it is not kept whole: a chunk, and how far its stages lie apart. */
const PASSING_ROWS: i32 = 92

/** The rings of one side, and how many rows each stage has settled. */
@unmanaged
export class Side {
  isReference: bool
  fed: i32
  opsinDone: i32
  lowDone: i32
  /** The row of cells to be smoothed down next, from -1; of the middle band's, and how many of these have been smoothed along. */
  cellsDone: i32
  middleSettled: i32
  middleCells: i32
  middleDone: i32
  highDone: i32
  activityDone: i32
  /** Reference only: rows of the mask. */
  maskDone: i32
  /** Responses of three kinds of cones to light, and the same smoothed along the row. */
  linear: usize
  smooth: usize
  /** Opsin X, Y, B; the same blurred along the row (small images), or their cells smoothed along; rows of pixels of those, smoothed down too. */
  opsin: usize
  low: usize
  cells: usize
  smoothed: usize
  /** Residual above the low band, X, Y and B; the same blurred along the row (small images), or its cells smoothed along; rows of pixels of those, smoothed down too. */
  rest: usize
  middle: usize
  middleSmoothed: usize
  /** Residual above the middle band, X and Y; the same blurred along the row. */
  high: usize
  fine: usize
  activity: usize
  /** B at half size: light, the same smoothed along, and what the candidate differs by. */
  blueLight: usize
  blueSmooth: usize
  blue: usize
}

@unmanaged
export class Scale {
  index: i32
  width: i32
  height: i32
  /** Bytes of a row's columns, rounded up to whole groups; and with margins. */
  stride: usize
  pitch: usize
  /** Rows that a plane holds; row y lies at y % capacity. */
  capacity: i32
  planes: usize
  planeBytes: usize
  /** For each of four filters a row of factors that makes up for the taps beyond the left and right edge. */
  factors: usize
  /** Whether a side is too short for the low band to be made of cells. */
  isSmall: bool
  /** For cells what makes up for those beyond the edges, a row of zeros, and bytes of a row with margins. */
  cellFactors: usize
  zeros: usize
  cellPitch: usize
  /** The same for the middle band's cells: factors by column of pixels. */
  middleFactors: usize
  middlePitch: usize
  reference: Side
  candidate: Side
  /** Of the planes of X in the middle and the high band: a byte for each group of columns, whether it holds anything; if not it is not kept. */
  marks: usize
  /** The reference's cells of the low band, how many rows of them are kept; what the candidate's differ by; and rows of pixels of that. */
  keptCells: usize
  keptCellRows: i32
  toneCells: usize
  tones: usize
  /** The reference's B at half size, and how many rows of it are kept. */
  keptBlue: usize
  keptBlueRows: i32
  /** Candidate only: the row of tones to be made next, from -1; rows of the line detectors and of the map settled. */
  tonesDone: i32
  linesDone: i32
  mapDone: i32
  /** Input of the line detectors: three maps, and for each row the blocks that are not zero. */
  differences: usize
  blocks: usize
  blockPitch: usize
  /** Squared error so far: of the low band (small images), and of all others. */
  tone: usize
  detail: usize
}

const scaleTable: usize = memory.data(2 * 192, 16)
const sideTable: usize = memory.data(4 * 128, 16)

export let scalesUsed: i32 = 0
export let tilesAcross: i32 = 1
export let tilesDown: i32 = 1
export let staging: usize = 0
export let tiles: usize = 0
export let tileSums: usize = 0
export let zeroRow: usize = 0
/** Four rows that a stage may write to. */
export let scratch: usize = 0
/** The latest rows of distances at full size; and when wanted all of them, for the same image on another background. */
let distances: usize = 0
let distanceRows: i32 = 0
export let map: usize = 0
let end: usize = 0

/** Samples along a side at half size, or cells of two pixels. */
@inline
export function halved(size: i32): i32 {
  return (size + 1) >> 1
}

@inline
export function scaleAt(index: i32): Scale {
  return changetype<Scale>(scaleTable + <usize>index * 192)
}

@inline
export function ringRow(ring: usize, rows: i32, channel: i32, y: i32, pitch: usize): usize {
  return ring + <usize>(channel * rows + y % rows) * pitch + MARGIN
}

@inline
export function planeRow(scale: Scale, plane: i32, y: i32): usize {
  return scale.planes + <usize>plane * scale.planeBytes + <usize>(y % scale.capacity) * scale.stride
}

/** Marks of row y of the plane of X in the middle (0) or the high band (1). */
@inline
export function markRow(scale: Scale, band: i32, y: i32): usize {
  return scale.marks + <usize>band * markBytes(scale) + <usize>(y % scale.capacity) * (scale.stride / GROUP)
}

@inline
export function scratchRow(index: i32): usize {
  return scratch + <usize>index * scaleAt(0).pitch + MARGIN
}

@inline
export function distanceRow(y: i32): usize {
  return distances + <usize>(y % distanceRows) * scaleAt(0).pitch
}

@inline
export function mapRow(y: i32): usize {
  return map + <usize>y * scaleAt(0).stride
}

/** Clears the columns right of the image that filters read: scratch rows hold rows of either scale. */
export function clearTail(scale: Scale, row: usize): void {
  clear(row + (<usize>scale.width << 2), row + scale.stride + MARGIN)
}

/** Makes 16 bytes or more zero; a call of `memory.fill` takes longer than a few stores. */
@inline
export function clear(from: usize, until: usize): void {
  const zero = f32x4.splat(0)
  for (let at = from; at < until - 16; at += 16) v128.store(at, zero)
  v128.store(until - 16, zero)
}

/** The same for a row of cells: what lies right of the last one is zero. */
export function clearCells(scale: Scale, row: usize): void {
  const from = <usize>((scale.width + 3) >> 2) << 2
  clear(row + from, row + (scale.stride >> 2) + MARGIN)
  clear(row - MARGIN, row)
}

/** Bytes from the start of a cache line: a vector at its place in a row does not lie across two lines. */
function take(bytes: usize): usize {
  const at = end
  end += (bytes + 63) & ~63
  return at
}

function measure(index: i32, width: i32, height: i32, kept: bool): void {
  const scale = scaleAt(index)
  scale.index = index
  scale.width = width
  scale.height = height
  scale.stride = ((<usize>width + 15) & ~15) << 2
  scale.isSmall = min(width, height) < MIN_CELLS_SIDE
  scale.pitch = scale.stride + 2 * MARGIN
  scale.cellPitch = (scale.stride >> 2) + 2 * MARGIN
  scale.middlePitch = (scale.stride >> 1) + 2 * MARGIN
  scale.capacity = kept ? height : min(height, PASSING_ROWS)
  scale.keptCellRows = ((scale.capacity + 3) >> 2) + 2
  scale.keptBlueRows = halved(scale.capacity)
  scale.planeBytes = <usize>scale.capacity * scale.stride
  scale.blockPitch = (scale.stride / GROUP + 2 + 15) & ~15
}

function placeSide(index: i32, isReference: bool, scale: Scale): Side {
  const pitch = scale.pitch
  const cellPitch = scale.cellPitch
  const full = scale.isSmall ? 3 : 2
  const side = changetype<Side>(sideTable + <usize>(2 * index + <i32>isReference) * 128)
  side.isReference = isReference
  side.linear = take(<usize>(3 * LINEAR_ROWS) * pitch)
  side.smooth = take(<usize>(full * SMOOTH_ROWS) * pitch)
  side.opsin = take(<usize>(full * OPSIN_ROWS) * pitch)
  side.low = take(scale.isSmall ? <usize>(3 * LOW_ROWS) * pitch : 0)
  side.cells = take(<usize>(3 * CELL_ROWS) * cellPitch)
  side.smoothed = take(<usize>(3 * SMOOTHED_ROWS) * pitch)
  side.rest = take(<usize>(full * REST_ROWS) * pitch)
  side.middle = take(scale.isSmall ? <usize>(3 * MIDDLE_ROWS) * pitch : <usize>(3 * MIDDLE_CELL_ROWS) * scale.middlePitch)
  side.middleSmoothed = take(<usize>(3 * MIDDLE_SMOOTHED_ROWS) * scale.pitch)
  side.high = take(<usize>(2 * HIGH_ROWS) * pitch)
  side.fine = take(<usize>(2 * FINE_ROWS) * pitch)
  side.activity = take(<usize>ACTIVITY_ROWS * pitch)
  side.blueLight = take(scale.isSmall ? 0 : <usize>BLUE_LIGHT_ROWS * scale.middlePitch)
  side.blueSmooth = take(scale.isSmall ? 0 : <usize>BLUE_SMOOTH_ROWS * scale.middlePitch)
  side.blue = take(scale.isSmall ? 0 : <usize>BLUE_ROWS * scale.middlePitch)
  return side
}

function placeRows(index: i32): void {
  const scale = scaleAt(index)
  scale.factors = take(4 * scale.stride)
  scale.cellFactors = take(scale.cellPitch) + MARGIN
  scale.middleFactors = take(scale.stride)
  scale.zeros = zeroRow + MARGIN
  scale.reference = placeSide(index, true, scale)
  scale.candidate = placeSide(index, false, scale)
  scale.differences = take(<usize>(MAPS * DIFFERENCE_ROWS) * scale.pitch)
  scale.blocks = take(<usize>(MAPS * DIFFERENCE_ROWS) * scale.blockPitch)
  scale.tone = take(scale.isSmall ? <usize>TONE_ROWS * scale.pitch : 0)
  scale.toneCells = take(<usize>(3 * TONE_CELL_ROWS) * scale.cellPitch)
  scale.tones = take(<usize>(3 * SMOOTHED_ROWS) * scale.pitch)
  scale.detail = take(<usize>DETAIL_ROWS * scale.pitch)
}

function grow(): bool {
  const pages = <i32>((<u64>end + 0xffff) >> 16) - memory.size()
  return pages <= 0 || memory.grow(pages) >= 0
}

@inline
function cellBytes(scale: Scale): usize {
  return <usize>(2 * scale.keptCellRows) * scale.cellPitch
}

@inline
function markBytes(scale: Scale): usize {
  return <usize>scale.capacity * (scale.stride / GROUP)
}

/** Bytes kept of the reference: planes, then cells, then marks. */
function keptBytes(scale: Scale): u64 {
  const planes = <u64>(scale.isSmall ? SMALL_PLANES : PLANES) * <u64>scale.capacity * <u64>scale.stride
  return planes + <u64>cellBytes(scale) + <u64>scale.keptBlueRows * <u64>scale.middlePitch + 2 * <u64>markBytes(scale)
}

/** Bytes of all scales and the map, in 64 bits because they can exceed an address. */
function largeBytes(wholeMap: bool): u64 {
  let total: u64 = wholeMap ? <u64>scaleAt(0).height * <u64>scaleAt(0).stride : 0
  for (let index = 0; index < scalesUsed; index++) {
    total += keptBytes(scaleAt(index))
  }
  return total
}

/** Lays out the memory for an image. Returns false when it exceeds 4 GiB or the machine has no more. */
export function arrange(width: i32, height: i32, kept: bool, wholeMap: bool): bool {
  measure(0, width, height, kept)
  measure(1, (width + 1) >> 1, (height + 1) >> 1, kept)
  scalesUsed = min(scaleAt(1).width, scaleAt(1).height) < 8 ? 1 : 2
  tilesAcross = max(1, width >> TILE_SHIFT)
  tilesDown = max(1, height >> TILE_SHIFT)
  distanceRows = min(height, DISTANCE_ROWS)
  end = (__heap_base + 63) & ~63
  const start = end
  const pitch = scaleAt(0).pitch
  zeroRow = take(pitch)
  scratch = take(8 * pitch)
  tiles = take(<usize>(tilesAcross * tilesDown) * TILE_BYTES)
  tileSums = take(<usize>tilesAcross * SUM_BYTES)
  distances = take(<usize>distanceRows * pitch)
  for (let index = 0; index < scalesUsed; index++) placeRows(index)
  staging = take(<usize>width * 4 * CHUNK_ROWS)
  const zeroed = end - start
  if (<u64>end + largeBytes(wholeMap) > 0xfff00000) return false
  for (let index = 0; index < scalesUsed; index++) {
    const scale = scaleAt(index)
    scale.planes = take(<usize>keptBytes(scale))
    scale.keptCells = scale.planes + <usize>(scale.isSmall ? SMALL_PLANES : PLANES) * scale.planeBytes
    scale.keptBlue = scale.keptCells + cellBytes(scale)
    scale.marks = scale.keptBlue + <usize>scale.keptBlueRows * scale.middlePitch
  }
  map = wholeMap ? take(<usize>height * scaleAt(0).stride) : 0
  if (!grow()) return false
  memory.fill(start, 0, zeroed)
  return true
}

export function clearSums(): void {
  memory.fill(tileSums, 0, <usize>tilesAcross * SUM_BYTES)
}

export function clearTiles(): void {
  memory.fill(tiles, 0, <usize>(tilesAcross * tilesDown) * TILE_BYTES)
  clearSums()
}
