/**
 * Where everything lies in linear memory. Of the reference its luma as seen (2 bytes per pixel) and how well steps are seen there (1 byte
 * per pixel) are kept; of the candidate a few rows. A cell is 2 x 2 px as seen; corners lie between the cells and around them.
 */

/** Rows that may be fed at once. */
export const CHUNK_ROWS: i32 = 32
/** Rows that tiles are given at once: a plain tile has one or several times as many, so that each is given whole ones. */
export const STRIP_ROWS: i32 = 4
/** Bytes around every row: filters reach three cells, and loops run to whole vectors. */
export const MARGIN: usize = 16
/** Side of a tile in cells (32 px), of one whose mean colour is compared in px, and of one that may be flat in px. */
export const TILE_CELLS: i32 = 16
const COLOUR_SIDE: i32 = 16
const PLAIN_SIDE: i32 = 4
/** Doubles of each tile: red, green, blue; or the sum of squared steps, and sums of steps across and down. */
export const TILE_BYTES: usize = 24
/** Bytes of eight columns' sums. */
export const LANE_BYTES: usize = 32
/** Rows of cells that a corner's figures are made of: what it reaches above and below. */
export const ERROR_ROWS: i32 = 4
export const TEXTURE_ROWS: i32 = 6

/** Bins of the histogram of chroma shifts; the last one holds all larger shifts. */
export const BLEEDING_BINS: i32 = 512

/** Size in px; how many of them each way make one px as seen. */
export let width: i32 = 0
export let height: i32 = 0
export let density: i32 = 1
/** Size as seen; in cells; and in tiles of either kind. */
export let seenWidth: i32 = 0
export let seenHeight: i32 = 0
export let across: i32 = 0
export let down: i32 = 0
export let colourSide: i32 = 0
export let colourAcross: i32 = 0
export let colourDown: i32 = 0
export let plainSide: i32 = 0
export let plainAcross: i32 = 0
export let plainDown: i32 = 0
export let tilesAcross: i32 = 0
export let tilesDown: i32 = 0

export let staging: usize = 0
/** A row of luma, and sums of several such where the density is above 1. */
export let wholeRow: usize = 0
export let sums: usize = 0
/** Luma as seen in 1/16 of a sample value, i16: of the reference all rows, of the candidate the latest two. */
export let lumaPitch: usize = 0
let referenceLuma: usize = 0
let candidateLuma: usize = 0
/** Bytes of a row of cells or corners, rounded up to rounds of eight; and with margins. All floats. */
export let cellBytes: usize = 0
export let cellPitch: usize = 0
let visibility: usize = 0
export let errors: usize = 0
export let noises: usize = 0
export let textures: usize = 0
/** Four rows that a stage may write to, eight columns' sums of up to three kinds, a row of zeros, and for each corner how many columns of cells around it lie inside. */
export let scratch: usize = 0
export let laneSums: usize = 0
export let zeroRow: usize = 0
export let columnsAround: usize = 0
export let colours: usize = 0
export let steps: usize = 0
/** The first pixel of each tile of a row, four times; by tile whether it is plain, and three numbers each of the reference and of the candidate. */
export let plainPatterns: usize = 0
export let plainMarks: usize = 0
export let plainWas: usize = 0
export let plainShown: usize = 0
/** Plain tiles by how far their chroma is shifted (see `bleeding`). */
export let bleedingCounts: usize = 0
/** By tile whose colour is compared: twelve doubles of the reference, three of the candidate, and one bound of both (see `shifts`). */
export let tangents: usize = 0
export let shownShares: usize = 0
export let mostShifts: usize = 0
let end: usize = 0

@inline
export function referenceRow(y: i32): usize {
  return referenceLuma + <usize>y * lumaPitch + MARGIN
}

@inline
export function candidateRow(y: i32): usize {
  return candidateLuma + <usize>(y & 1) * lumaPitch + MARGIN
}

@inline
export function ringRow(ring: usize, rows: i32, y: i32): usize {
  return ring + <usize>(y % rows) * cellPitch + MARGIN
}

@inline
export function visibilityRow(y: i32): usize {
  return visibility + <usize>y * cellBytes
}

@inline
export function scratchRow(index: i32): usize {
  return scratch + <usize>index * cellPitch + MARGIN
}

function take(bytes: usize): usize {
  const at = end
  end += (bytes + 15) & ~15
  return at
}

function measure(wide: i32, high: i32, by: i32): void {
  width = wide
  height = high
  density = by
  seenWidth = max(1, wide / by)
  seenHeight = max(1, high / by)
  across = seenWidth >> 1
  down = seenHeight >> 1
  colourSide = COLOUR_SIDE * by
  colourAcross = max(1, wide / colourSide)
  colourDown = max(1, high / colourSide)
  plainSide = PLAIN_SIDE * by
  plainAcross = wide / plainSide
  plainDown = high / plainSide
  tilesAcross = max(1, across / TILE_CELLS)
  tilesDown = max(1, down / TILE_CELLS)
  lumaPitch = (((<usize>seenWidth << 1) + 15) & ~15) + 4 * MARGIN
  cellBytes = ((<usize>across + 8) & ~7) << 2
  cellPitch = cellBytes + 3 * MARGIN
}

/** Bytes kept of the reference, in 64 bits because they can exceed an address. */
function keptBytes(): u64 {
  return <u64>seenHeight * <u64>lumaPitch + <u64>(down + 1) * <u64>cellBytes + <u64>plainAcross * <u64>plainDown * 25 + <u64>colourAcross * <u64>colourDown * 128 + 128
}

/** Lays out the memory for an image of `wide` x `high` px, seen in blocks of `by` x `by` px. Returns false when there is not enough. */
export function arrange(wide: i32, high: i32, by: i32): bool {
  measure(wide, high, by)
  end = (__heap_base + 15) & ~15
  const start = end
  wholeRow = take((<usize>wide << 1) + 2 * MARGIN)
  sums = take((<usize>seenWidth << 2) + 2 * MARGIN)
  candidateLuma = take(2 * lumaPitch)
  errors = take(<usize>ERROR_ROWS * cellPitch)
  noises = take(<usize>ERROR_ROWS * cellPitch)
  textures = take(<usize>TEXTURE_ROWS * cellPitch)
  scratch = take(4 * cellPitch)
  laneSums = take(3 * LANE_BYTES)
  bleedingCounts = take(<usize>BLEEDING_BINS << 2)
  zeroRow = take(cellPitch) + MARGIN
  columnsAround = take(cellBytes)
  colours = take(<usize>(colourAcross * colourDown) * TILE_BYTES)
  steps = take(<usize>(tilesAcross * tilesDown) * TILE_BYTES)
  plainPatterns = take(<usize>plainAcross << 4)
  staging = take(<usize>wide * 4 * CHUNK_ROWS + 2 * MARGIN)
  if (<u64>end + keptBytes() > 0xfff00000) return false
  referenceLuma = take(<usize>seenHeight * lumaPitch)
  visibility = take(<usize>(down + 1) * cellBytes)
  const plainTiles = <usize>(plainAcross * plainDown)
  plainMarks = take(plainTiles)
  plainWas = take(plainTiles * 12)
  plainShown = take(plainTiles * 12)
  const colourTiles = <usize>(colourAcross * colourDown)
  tangents = take(colourTiles * 96)
  shownShares = take(colourTiles * TILE_BYTES)
  mostShifts = take(colourTiles * 8)
  const pages = <i32>((<u64>end + 0xffff) >> 16) - memory.size()
  if (pages > 0 && memory.grow(pages) < 0) return false
  memory.fill(start, 0, referenceLuma - start)
  return true
}

export function clearTiles(): void {
  memory.fill(colours, 0, <usize>(colourAcross * colourDown) * TILE_BYTES)
  memory.fill(steps, 0, <usize>(tilesAcross * tilesDown) * TILE_BYTES)
}
