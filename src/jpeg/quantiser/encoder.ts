import type { AnyRaster } from '../../core/image.ts'
import { JPEG } from '../../core/jpeg-numbers.ts'
import type { Frame } from '../bitstream/frame.ts'
import { type Keep, metadataSegments } from '../bitstream/metadata.ts'
import { bestScript } from '../bitstream/scan-script.ts'
import { writeJpeg } from '../bitstream/write.ts'
import { allocate, borrowKernel, bytesAt, floatsAt, KERNEL_BYTES, type Kernel } from '../kernel.ts'
import { dering } from './dering.ts'
import {
  type DcOffsets,
  dcOffsetsFor,
  type LuminanceWorkspace,
  openLuminanceWorkspace,
  placeDcOffsets,
} from './linear-luminance.ts'
import { placeMaskingWeights, weighByMasking } from './masking.ts'
import {
  DEFAULT_PARAMETERS,
  type QuantiserParameters,
  type RateDistortion,
  rateDistortionAt,
  scaleLambda,
} from './parameters.ts'
import { quantTablesAt, type Subsampling } from './quant-tables.ts'
import { measureRates, type Rates } from './rates.ts'
import { measureLuminance, openPlanes, type Planes, reconstruct } from './reconstruct.ts'
import { isGrey, type TransformedImage, transformImage } from './transformed-image.ts'

/** How much smooth places are protected: not, some, more, much. */
export type Smoothing = 0 | 1 | 2 | 3

/** Parameters of one trial. The same setting on the same image gives the same file, independent of earlier trials. */
export interface Setting {
  /** Place in the family of tables; continuous, about jpegli's quality. */
  readonly quality: number
  /** Factor on what error costs against bits; 1 when not said. */
  readonly lambdaScale?: number
  /** Finer steps of DC and the lowest AC of luma, and no offsets of DC: for images whose smooth places would show blocks. */
  readonly smooth?: Smoothing
  /** Costs of symbols from an earlier trial; measured on plain rounding when absent. */
  readonly rates?: Rates[]
  /** Offsets that keep each block's luminance, from an earlier trial. */
  readonly dcOffsets?: DcOffsets
  /** The mean that masking is weighed against, of the image that the setting was found on (`JpegEncoder.maskingMean`); the image's own when absent. */
  readonly maskingMean?: number
}

/** Measurements of a trial for the next at the same tables; no offsets where the setting has none. */
export interface FirstPass {
  readonly rates: Rates[]
  readonly dcOffsets?: DcOffsets
}

/** Another form of coefficients than JPEG. They lie in the kernel's memory. */
export interface CoefficientForm {
  /** Factor on lambda: above 1 where its bits are fewer than a JPEG's. */
  readonly lambdaScale: number
  /** The pixels that its decoders show; they last until the next call. */
  readonly shown: (kernel: Kernel, frame: Frame) => AnyRaster
  readonly write: (kernel: Kernel, frame: Frame) => Uint8Array
}

/** Options of an encoder. */
export interface EncoderOptions {
  /** Shows and writes the coefficients in another form than JPEG. */
  readonly form?: CoefficientForm | undefined
  /** Whether one component holds all colours; found out from the pixels unless given. */
  readonly grey?: boolean
}

/** One image being encoded; `analyse`, `reconstruct` and `quantise` attempt a setting, as often as wanted, then `finish` writes the last attempt. */
export interface JpegEncoder {
  /** The image as transformed, for those who predict scores from it. */
  readonly transformed: TransformedImage
  analyse(setting: Setting): FirstPass
  /** Costs of symbols in the last trial. */
  latestRates(): Rates[]
  /** The pixels any decoder will show; they last until the next time, whose they become, or until `close`. */
  reconstruct(setting: Setting): AnyRaster
  /** Quantises without working out pixels. */
  quantise(setting: Setting): void
  /** The logarithm of the mean masking weight in the last trial. */
  maskingMean(): number
  finish(keep?: Keep): Uint8Array
  /** Ends the encoder's use, which leaves its memory to the next; not needed, but quicker. */
  close(): void
}

/** Opens an encoder for opaque pixels (alpha is ignored); throws a RangeError when they do not fit the kernel's memory. */
export const openJpegEncoder = (
  image: AnyRaster,
  subsampling: Subsampling = '4:2:0',
  parameters: QuantiserParameters = DEFAULT_PARAMETERS,
  { form, grey = isGrey(image) }: EncoderOptions = {},
): JpegEncoder => {
  const { kernel, room, giveBack } = borrowKernel()
  const transformed = transformImage(kernel, image, subsampling, grey)
  const workspace = openWorkspace(transformed)
  const formParameters = scaleLambda(parameters, form?.lambdaScale ?? 1)
  const quantise = (setting: Setting): void => quantiseAll(transformed, workspace, formParameters, setting)
  return {
    transformed,
    quantise,
    close: giveBack,
    maskingMean: () => workspace.prepared.maskingMean,
    latestRates: () => measureRates(transformed),
    analyse: (setting) => {
      quantise(setting)
      const rates = measureRates(transformed)
      const shares = dcOffsetSharesAt(setting, parameters)
      if (shares.every((share) => share === 0)) return { rates }
      measureLuminance(kernel, transformed.frame, workspace.planes, workspace.luminance.reconstructed)
      return { rates, dcOffsets: dcOffsetsFor(transformed, workspace.luminance, setting.dcOffsets, shares) }
    },
    reconstruct: (setting) => {
      quantise(setting)
      if (form !== undefined) return form.shown(kernel, transformed.frame)
      return reconstruct(kernel, transformed.frame, workspace.planes, room(image.width * image.height * 3))
    },
    finish: (keep = {}) => {
      const { frame } = transformed
      if (form !== undefined) return form.write(kernel, frame)
      return writeJpeg(kernel, frame, bestScript(kernel, frame, 'fast', workspace.counted), metadataSegments(keep))
    },
  }
}

/** Places in the kernel's memory for the tables of an attempt. */
interface Workspace {
  readonly inverse: number
  /** Of luma and of chroma. */
  readonly weights: number[]
  readonly ac: number
  readonly dc: number
  readonly scratch: number
  readonly maskingWeights: number[]
  readonly luminance: LuminanceWorkspace
  readonly planes: Planes
  /** By component: the AC symbols of the last attempt. */
  readonly counted: number[]
  /** Setting of the present tables and weights. */
  readonly prepared: { quality?: number; smooth?: Smoothing; mean?: number | undefined; maskingMean: number }
}

const openWorkspace = (transformed: TransformedImage): Workspace => {
  const { kernel, frame } = transformed
  const maskingWeights = placeMaskingWeights(transformed)
  const scratch = allocate(kernel, Math.max(...frame.components.map((c) => c.widthInBlocks)) * 32)
  const at = allocate(kernel, 256 + 1024 + 64)
  const weights = [0, 1].map(() => allocate(kernel, 256))
  const luminance = openLuminanceWorkspace(transformed)
  const planes = openPlanes(kernel, frame)
  const counted = frame.components.map(() => allocate(kernel, KERNEL_BYTES.histogram))
  return {
    inverse: at,
    weights,
    ac: at + 256,
    dc: at + 1280,
    scratch,
    maskingWeights,
    luminance,
    planes,
    counted,
    prepared: { maskingMean: Number.NaN },
  }
}

/** Rate-distortion parameters of a setting: those of its quality, with lambda scaled. */
const rateDistortionOf = (parameters: QuantiserParameters, { quality, lambdaScale = 1 }: Setting): RateDistortion => {
  const usual = rateDistortionAt(parameters, quality)
  return { ...usual, lambda: usual.lambda * lambdaScale, chromaLambda: usual.chromaLambda * lambdaScale }
}

/** Computes tables and weights, which depend on quality and protection only. A trial at the same ones reuses them. */
const prepare = (
  transformed: TransformedImage,
  workspace: Workspace,
  parameters: QuantiserParameters,
  weighed: RateDistortion,
  setting: Setting,
): void => {
  const { quality, smooth = 0, maskingMean: mean } = setting
  const { prepared, maskingWeights, weights } = workspace
  if (prepared.quality === quality && prepared.smooth === smooth && prepared.mean === mean) return
  Object.assign(prepared, { quality, smooth, mean })
  setQuantTables(transformed, weighed, setting)
  const { leastWeight } = weighed
  prepared.maskingMean = weighByMasking(
    transformed,
    { ...parameters, leastWeight },
    { weights: maskingWeights[0]!, mean },
  )
  weighed.distortionLogs.forEach((logs, c) => {
    const values = floatsAt(transformed.kernel, weights[c]!, logs.length)
    for (let k = 0; k < logs.length; k++) values[k] = Math.exp(logs[k]!)
  })
  dering(transformed.kernel, transformed.free, transformed.dct[0]!, quality, transformed.subsampling)
}

const quantiseAll = (
  transformed: TransformedImage,
  workspace: Workspace,
  parameters: QuantiserParameters,
  setting: Setting,
): void => {
  const { kernel, frame } = transformed
  const weighed = rateDistortionOf(parameters, setting)
  prepare(transformed, workspace, parameters, weighed, setting)
  const rates = setting.rates ?? plainRates(transformed, workspace)
  const dcOffsets = placeDcOffsets(transformed, workspace.luminance, setting.dcOffsets)
  kernel.resetCounts()
  frame.components.forEach((_, c) => {
    quantiseComponent(transformed, workspace, weighed, c, { rates: rates[Math.min(c, 1)]!, dcOffsets: dcOffsets[c]! })
    // The scans are counted where these coefficients are.
    const counts = bytesAt(kernel, kernel.histogramAt(4 + c), KERNEL_BYTES.histogram)
    bytesAt(kernel, workspace.counted[c]!, KERNEL_BYTES.histogram).set(counts)
  })
}

/** Costs of symbols after plain rounding, for the first trial. */
const plainRates = (transformed: TransformedImage, workspace: Workspace): Rates[] => {
  const { kernel, frame, dct } = transformed
  kernel.resetCounts()
  frame.components.forEach(({ quantTable }, c) => {
    invertTable(kernel, workspace, quantTable!)
    const { dc: rates, scratch } = workspace
    const plain = { lambda: 0, maskingWeights: 0, dcOffsets: 0 }
    kernel.quantiseDc({ c, dct: dct[c]!, step: quantTable![0]!, rates, ...plain, scratch })
    kernel.countPlainly(c, dct[c]!, workspace.inverse, PLAIN_BIAS)
  })
  return measureRates(transformed)
}

/** Plain rounding drops what is below 0.6 of a step, about as a trellis would. */
const PLAIN_BIAS = 0.4

const invertTable = (kernel: Kernel, workspace: Workspace, quantTable: Uint16Array): void => {
  const inverse = floatsAt(kernel, workspace.inverse, 64)
  for (let k = 0; k < 64; k++) inverse[k] = 1 / quantTable[k]!
}

/**
 * At fine qualities chroma keeps its luminance by itself, and correcting it costs more than it gains. Offsets differ between neighbours: where
 * the picture is smooth that is an edge.
 */
const dcOffsetSharesAt = ({ quality, smooth = 0 }: Setting, parameters: QuantiserParameters): number[] =>
  rateDistortionAt(parameters, quality).dcOffsetShares.map((share, c) => {
    if (smooth > 0) return 0
    return c === 0 ? share : share * Math.max(0, Math.min(1, (84 - quality) / 12))
  })

/** Up to this many blocks of luma, chroma takes luma's table: two tables less are 134 bytes, more than better steps save. */
const SHARED_TABLE_BLOCKS = 1500
/** Factors on the first steps of such a table: chroma needs coarser ones than luma. Measured at 100 and 200 px, 65 photographs (lab/jpeg-encoder.md). */
const SHARED_STEPS = [1, ...Array<number>(5).fill(1.25)]

/** Factors on luma's first steps, in zigzag order, where smooth places are protected: a slope that is lost leaves an edge at each block. */
const SMOOTH_STEPS: Readonly<Record<Smoothing, readonly number[]>> = {
  0: [],
  1: [0.65, 0.56, 0.56, 0.63, 0.63, 0.63],
  2: [0.5, 0.43, 0.43, 0.49, 0.49, 0.49, 0.7, 0.7, 0.7, 0.7],
  3: [0.4, 0.31, 0.31, 0.38, 0.38, 0.38, 0.5, 0.5, 0.5, 0.5],
}

/**
 * The same for Cb and Cr, whose lost slopes leave bands of hue. Fully applied up to the first quality of `CHROMA_FINE_ENOUGH`. Not applied
 * from the second on, where the tables have fine enough first steps.
 */
const SMOOTH_CHROMA_STEPS: Readonly<Record<Smoothing, readonly (readonly number[])[]>> = {
  0: [[], []],
  1: [
    [1, 0.8, 0.8],
    [0.8, 0.8, 0.8],
  ],
  2: [
    [0.8, 0.5, 0.5, 0.6, 0.6, 0.6],
    [0.6, 0.5, 0.5, 0.6, 0.6, 0.6],
  ],
  3: [
    [0.8, 0.5, 0.5, 0.6, 0.6, 0.6],
    [0.6, 0.5, 0.5, 0.6, 0.6, 0.6],
  ],
}
const CHROMA_FINE_ENOUGH = [58, 78] as const

const coarsestOf = (c: number, { coarsestDc, coarsestChromaDc }: RateDistortion, { smooth = 0 }: Setting): number => {
  if (c === 0) return coarsestDc
  return smooth === 0 ? coarsestChromaDc : Math.min(coarsestChromaDc, JPEG.dcStepOfCodeValue)
}

/** Factors on a component's first steps. */
const smoothSteps = (c: number, { quality, smooth = 0 }: Setting): readonly number[] => {
  if (c === 0) return SMOOTH_STEPS[smooth]
  const [from, to] = CHROMA_FINE_ENOUGH
  const part = Math.max(0, Math.min(1, (to - quality) / (to - from)))
  return SMOOTH_CHROMA_STEPS[smooth][c - 1]!.map((factor) => factor ** part)
}

/** The tables of a quality; DC steps are held: 8 is one code value of a block's mean, and coarser ones turn smooth areas into steps. */
const setQuantTables = ({ frame, subsampling }: TransformedImage, weighed: RateDistortion, setting: Setting): void => {
  const tables = quantTablesAt(setting.quality, subsampling)
  const { widthInBlocks, heightInBlocks } = frame.components[0]!
  const shared = widthInBlocks * heightInBlocks <= SHARED_TABLE_BLOCKS
  frame.components.forEach((component, own) => {
    const c = shared ? 0 : own
    const factorAt = (k: number): number => (shared ? (SHARED_STEPS[k] ?? 1) : 1)
    const steps = new Uint16Array(64)
    for (let k = 0; k < 64; k++) steps[k] = Math.max(1, Math.min(255, Math.round(tables[c]![k]! * factorAt(k))))
    steps[0] = Math.min(steps[0]!, Math.round(coarsestOf(c, weighed, setting)))
    smoothSteps(c, setting).forEach((factor, k) => {
      steps[k] = Math.max(1, Math.round(steps[k]! * factor))
    })
    component.quantTable = steps
  })
}

interface Known {
  readonly rates: Rates
  readonly dcOffsets: number
}

const quantiseComponent = (
  { kernel, frame, dct }: TransformedImage,
  workspace: Workspace,
  weighed: RateDistortion,
  c: number,
  known: Known,
): void => {
  const quantTable = frame.components[c]!.quantTable!
  invertTable(kernel, workspace, quantTable)
  fill(kernel, workspace.ac, known.rates.ac)
  fill(kernel, workspace.dc, known.rates.dc)
  const { ac, dc, inverse, scratch } = workspace
  const maskingWeights = workspace.maskingWeights[c]!
  const weights = workspace.weights[c && 1]!
  const lambda = c === 0 ? weighed.lambda : weighed.chromaLambda
  // Chroma's means at full size are cheap, and their rounding tints dark places.
  const isFullChroma = c > 0 && frame.components[c]!.h === frame.components[0]!.h
  const dcLambda = isFullChroma ? 0 : weighed.dcLambda
  const component = { c, dct: dct[c]!, maskingWeights }
  const { dcOffsets } = known
  kernel.quantiseDc({ ...component, step: quantTable[0]!, rates: dc, lambda: dcLambda, dcOffsets, scratch })
  kernel.quantiseByTrellis({ ...component, inverse, rates: ac, weights, lambda, bias: weighed.bias })
}

const fill = (kernel: Kernel, at: number, values: Float32Array): void => floatsAt(kernel, at, values.length).set(values)
