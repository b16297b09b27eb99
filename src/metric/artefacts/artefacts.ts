import type { AnyRaster, Box } from '../../core/image.ts'
import type { Density } from '../../core/units.ts'
import { type KernelPool, kernelPool } from '../../support/kernel-pool.ts'
import { lazily } from '../../support/lazily.ts'
import { DEFAULT_LIMITS, type MetricLimits } from '../limits.ts'
import { assertSameSize, assertWhole, hasTransparency } from '../raster.ts'
import { BLEEDING_SIDE, type Bleeding, bleedingFigure, bleedingIn } from './bleeding.ts'
import { COLOUR_SIDE, largestShift, type WorstTile } from './colour.ts'
import { CONTOUR_SIDE, worstContour } from './contour.ts'
import { ARTEFACT_TILES, type ArtefactsKernel, loadArtefacts } from './kernel.ts'
import { cut, type MeasuredPiece, piecesOf, stripsOf } from './pieces.ts'
import { gridOf, type TileGrid, tileBox, tilesIn } from './tiles.ts'

/** A figure of the worst place, and where that is. */
export interface WorstPlace {
  readonly figure: number
  readonly at: Box
}

/** Local artefacts that a mean over the image would hide. */
export interface ArtefactFigures {
  /** The largest shift (CIEDE2000) of the mean colour of any tile of 16 px as seen. */
  readonly colour: WorstPlace
  /**
   * False contours and block edges in smooth areas of the reference, of the worst tile of 32 px as seen, in sample values of one straight step
   * across it. Equals `bleeding` if that is more.
   */
  readonly contour: WorstPlace
  /** Colour that bled into flat areas, in the same unit. */
  readonly bleeding: number
}

/** A reference whose tiles' colours and smooth areas are known; `free` it when done. */
export interface ArtefactsReference extends Disposable {
  /** Throws a RangeError for another size. */
  worst(candidate: AnyRaster): ArtefactFigures
  free(): void
}

/** Measures local artefacts. */
export interface Artefacts {
  /** Makes a reference ready; its data must not change until `free`. At a density tiles and contours are those of the size that is seen. Where `boxes` are given, these alone are looked at, each by itself. Throws a RangeError where memory does not suffice. */
  prepare(reference: AnyRaster, density: Density, boxes?: readonly Box[]): ArtefactsReference
}

/** Where anything is transparent in either image, on black and on white; the worse counts. */
const BACKGROUNDS = [0, 1]
/** Without transparency there is nothing to composite on. */
const OPAQUE = [-1]

/** A piece whose reference a kernel holds as it looks on a grey (below 0: alpha ignored). */
interface Prepared {
  readonly piece: MeasuredPiece
  readonly grey: number
  readonly grids: Grids
  readonly kernel: ArtefactsKernel
  /** Sums of light by tile of `grids.colour`. */
  readonly lights: Float64Array
}

interface Grids {
  readonly colour: TileGrid
  readonly contour: TileGrid
  readonly bleeding: TileGrid
}

const gridsOf = (image: AnyRaster, density: Density): Grids => ({
  colour: gridOf(image, COLOUR_SIDE * density),
  contour: gridOf(image, CONTOUR_SIDE * density),
  bleeding: gridOf(image, BLEEDING_SIDE * density),
})

/** Measurements of one piece; boxes are px of the image. */
interface Found {
  readonly colour: WorstPlace
  readonly contour: WorstPlace
  readonly bleeding: Bleeding
  readonly bleedingAt: Box
}

const worse = (one: WorstPlace, other: WorstPlace): WorstPlace => (other.figure > one.figure ? other : one)

/** The figures of all pieces together. */
const figuresOf = (found: readonly Found[]): ArtefactFigures => {
  const bled = bleedingFigure(found.map((one) => one.bleeding))
  const farthest = found.reduce((most, one) => (one.bleeding.farthest > most.bleeding.farthest ? one : most))
  return {
    colour: found.map((one) => one.colour).reduce(worse),
    contour: worse(found.map((one) => one.contour).reduce(worse), { figure: bled, at: farthest.bleedingAt }),
    bleeding: bled,
  }
}

const worseFigures = (one: ArtefactFigures, other: ArtefactFigures): ArtefactFigures => ({
  colour: worse(one.colour, other.colour),
  contour: worse(one.contour, other.contour),
  bleeding: Math.max(one.bleeding, other.bleeding),
})

/** The tiles of a grid from the first that counts up to the first that does not. */
const tilesThatCount = (
  { side, across, down }: TileGrid,
  { from, to, held }: MeasuredPiece,
): readonly [number, number] => [
  Math.floor(from / side) * across,
  (to === held.height ? down : Math.floor(to / side)) * across,
]

const within = ({ held }: MeasuredPiece, box: Box): Box => ({
  ...box,
  left: box.left + held.left,
  top: box.top + held.top,
})

/** Measures a candidate in one piece on one background. */
const compareOn = ({ piece, grey, grids, kernel, lights }: Prepared, candidate: AnyRaster): Found => {
  kernel.feed('candidate', cut(candidate, piece.held), grey)
  const shown = kernel.colours(tilesIn(grids.colour))
  const most = kernel.mostShifts(tilesIn(grids.colour))
  const valuesOf = (values: Float64Array, grid: TileGrid): Float64Array => {
    const [first, beyond] = tilesThatCount(grid, piece)
    return values.subarray(first * ARTEFACT_TILES.values, beyond * ARTEFACT_TILES.values)
  }
  const placeIn = (grid: TileGrid, { figure, tile }: WorstTile): WorstPlace => ({
    figure,
    at: within(piece, tileBox(grid, tile + tilesThatCount(grid, piece)[0])),
  })
  const { colour, contour } = grids
  const steps = valuesOf(kernel.steps(tilesIn(contour)), contour)
  const bleeding = bleedingIn(kernel, tilesThatCount(grids.bleeding, piece))
  return {
    colour: placeIn(colour, largestShift({ grid: colour, was: lights, shown }, most, tilesThatCount(colour, piece))),
    contour: placeIn(contour, worstContour(steps, contour, tilesThatCount(contour, piece)[0])),
    bleeding,
    bleedingAt: within(piece, tileBox(grids.bleeding, bleeding.tile)),
  }
}

const prepareIn = (
  pool: KernelPool<ArtefactsKernel>,
  reference: AnyRaster,
  density: Density,
  pieces: readonly MeasuredPiece[],
): ArtefactsReference => {
  assertWhole(reference)
  const held: ArtefactsKernel[] = []

  const preparePiece = (kernel: ArtefactsKernel, piece: MeasuredPiece, grey: number): Prepared => {
    const image = cut(reference, piece.held)
    if (!kernel.configure(image, density))
      throw new RangeError(`no memory to look at ${image.width} x ${image.height} px`)
    kernel.feed('reference', image, grey)
    const grids = gridsOf(image, density)
    kernel.keepColours()
    const lights = kernel.colours(tilesIn(grids.colour))
    return { piece, grey, grids, kernel, lights }
  }
  const keepOn = (grey: number): Prepared => {
    const kernel = pool.take()
    held.push(kernel)
    return preparePiece(kernel, pieces[0]!, grey)
  }
  const transparent = hasTransparency(reference)
  const opaque = lazily(() => OPAQUE.map(keepOn))
  const onBoth = lazily(() => BACKGROUNDS.map(keepOn))

  /** One piece after the other; nothing of them is kept. */
  const compareInTurns = (candidate: AnyRaster, grey: number): readonly Found[] => {
    const kernel = pool.take()
    const found = pieces.map((piece) => compareOn(preparePiece(kernel, piece, grey), candidate))
    pool.give(kernel)
    return found
  }

  const worst = (candidate: AnyRaster): ArtefactFigures => {
    assertWhole(candidate)
    assertSameSize(reference, candidate)
    const alpha = transparent || hasTransparency(candidate)
    if (pieces.length === 1)
      return (alpha ? onBoth() : opaque()).map((one) => figuresOf([compareOn(one, candidate)])).reduce(worseFigures)
    const greys = alpha ? BACKGROUNDS : OPAQUE
    return greys.map((grey) => figuresOf(compareInTurns(candidate, grey))).reduce(worseFigures)
  }

  const free = (): void => {
    for (const kernel of held.splice(0)) pool.give(kernel)
  }
  return { worst, free, [Symbol.dispose]: free }
}

/** Loads the kernel; throws when it has not been built. One serves a process for its whole life. */
export const openArtefacts = async (limits: Partial<MetricLimits> = {}): Promise<Artefacts> => {
  const { idle, strip } = { ...DEFAULT_LIMITS, ...limits }
  const pool = kernelPool(loadArtefacts(), idle)
  return {
    prepare: (reference, density, boxes) =>
      prepareIn(pool, reference, density, boxes === undefined ? stripsOf(reference, density, strip) : piecesOf(boxes)),
  }
}
