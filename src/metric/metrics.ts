import type { AnyRaster, Box } from '../core/image.ts'
import type { Density } from '../core/units.ts'
import { lazily } from '../support/lazily.ts'
import { type ArtefactFigures, type Artefacts, openArtefacts } from './artefacts/artefacts.ts'
import { type Butteraugli, openButteraugli } from './butteraugli/butteraugli.ts'
import type { ButteraugliScores } from './butteraugli/norms.ts'
import type { Ssimulacra2Scores } from './ssimulacra2/scores.ts'
import { openSsimulacra2, type Ssimulacra2 } from './ssimulacra2/ssimulacra2.ts'

/** Everything that is measured of a candidate. Each figure is worked out when it is first read, and then kept. */
export interface Scores {
  /** SSIMULACRA 2.1 of the whole: 100 identical, no lower end. */
  readonly ssimulacra: number
  /** The lowest of any region of 256 x 256 px. */
  readonly worstTileSsimulacra: number
  /** Butteraugli's 3-norm at 80 nits as `butteraugli_main` prints it: 0 identical, no upper end. */
  readonly butteraugli3: number
  /** Butteraugli's maximum. */
  readonly butteraugliMax: number
  /** The largest Butteraugli 3-norm of any square of 64 px. */
  readonly worstTileButteraugli: number
  /** The largest shift (CIEDE2000) of the mean colour of any tile of 16 x 16 px as seen: at 2x, 32 px of the image. */
  readonly tileColour: number
  /**
   * False contours and block edges in smooth areas of the reference, of the worst tile of 32 px as seen, in sample values (0 to 255) of a straight
   * step. Equals `bleeding` if that is more.
   */
  readonly contour: number
  /** Colour that bled into flat areas, in the unit of `contour`. */
  readonly bleeding: number
  /** Where the worst tile of each kind lies. */
  readonly worstAt: WorstPlaces
}

/** Areas in px of the image. */
export interface WorstPlaces {
  readonly ssimulacra: Box
  readonly butteraugli: Box
  readonly tileColour: Box
  readonly contour: Box
}

/** A reference that candidates are measured against; what a figure needs of it is made ready when it is first read. */
export interface MetricReference extends Disposable {
  /**
   * Measures a candidate; throws a RangeError for one of another size. Scores are computed when they are read: read the cheapest first (tileColour,
   * contour, ssimulacra, butteraugli), while the candidate's data is unchanged and before `free`.
   */
  measure(candidate: AnyRaster): Scores
  /** Gives the memory of all metrics back. */
  free(): void
}

/** Both metrics and what no mean may hide. */
export interface PerceptualMetrics {
  /** Its data is not copied and must not change until `free`. At a density tiles are of the size that is seen. Colours and contours are looked at in `boxes` alone, where given. */
  prepare(reference: AnyRaster, density?: Density, boxes?: readonly Box[]): MetricReference
}

interface Kernels {
  readonly ssimulacra2: Ssimulacra2
  readonly butteraugli: Butteraugli
  readonly artefacts: Artefacts
}

/** Scores whose parts are computed when they are first read. */
const scoresOf = (
  ssimulacra2: () => Ssimulacra2Scores,
  butteraugli: () => ButteraugliScores,
  artefacts: () => ArtefactFigures,
): Scores => ({
  get ssimulacra() {
    return ssimulacra2().score
  },
  get worstTileSsimulacra() {
    return ssimulacra2().worst
  },
  get butteraugli3() {
    return butteraugli().norm3
  },
  get butteraugliMax() {
    return butteraugli().maximum
  },
  get worstTileButteraugli() {
    return butteraugli().worstTile
  },
  get tileColour() {
    return artefacts().colour.figure
  },
  get contour() {
    return artefacts().contour.figure
  },
  get bleeding() {
    return artefacts().bleeding
  },
  worstAt: {
    get ssimulacra() {
      return ssimulacra2().worstAt
    },
    get butteraugli() {
      return butteraugli().worstAt
    },
    get tileColour() {
      return artefacts().colour.at
    },
    get contour() {
      return artefacts().contour.at
    },
  },
})

const prepareIn = (
  { ssimulacra2, butteraugli, artefacts }: Kernels,
  reference: AnyRaster,
  density: Density,
  boxes: readonly Box[] | undefined,
): MetricReference => {
  const owned = new DisposableStack()
  const open = <T extends Disposable>(prepare: () => T) =>
    lazily(() => {
      if (owned.disposed) throw new Error('a figure was read after its reference was freed')
      return owned.use(prepare())
    })
  const ssimulacra = open(() => ssimulacra2.prepare(reference))
  const distance = open(() => butteraugli.prepare(reference))
  const tiles = open(() => artefacts.prepare(reference, density, boxes))

  const measure = (candidate: AnyRaster): Scores =>
    scoresOf(
      lazily(() => ssimulacra().scores(candidate)),
      lazily(() => distance().compare(candidate)),
      lazily(() => tiles().worst(candidate)),
    )

  const free = (): void => owned.dispose()
  return { measure, free, [Symbol.dispose]: free }
}

/** Loads the kernels; throws when they have not been built. One serves a process for its whole life. */
export const openMetrics = async (): Promise<PerceptualMetrics> => {
  const [ssimulacra2, butteraugli, artefacts] = await Promise.all([
    openSsimulacra2(),
    openButteraugli(),
    openArtefacts(),
  ])
  const kernels = { ssimulacra2, butteraugli, artefacts }
  return { prepare: (reference, density = 1, boxes) => prepareIn(kernels, reference, density, boxes) }
}

/** The metrics of this process, loaded when they are first asked for: kernels rest in one pool. */
export const processMetrics = lazily(() => openMetrics())
