import type { AnyRaster } from '../../core/image.ts'
import { type Keep, metadataSegments } from '../bitstream/metadata.ts'
import { bestScript, type Effort } from '../bitstream/scan-script.ts'
import { writeJpeg } from '../bitstream/write.ts'
import { allocate, borrowKernel, floatsAt, type Kernel } from '../kernel.ts'
import { dering } from './dering.ts'
import {
  type DcOffsets,
  dcOffsetsFor,
  type LuminanceWorkspace,
  openLuminanceWorkspace,
  placeDcOffsets,
} from './linear-luminance.ts'
import { maskingWeightsOf } from './masking.ts'
import { DEFAULT_PARAMETERS, type QuantiserParameters } from './parameters.ts'
import { quantTablesAt, type Subsampling } from './quant-tables.ts'
import { measureRates, type Rates } from './rates.ts'
import { measureLuminance, reconstruct } from './reconstruct.ts'
import { type TransformedImage, transformImage } from './transformed-image.ts'

/** What one attempt quantises with. The same setting on the same image gives the same file, whatever was tried before. */
export type Setting = {
  /** Place in the family of tables; continuous, about jpegli's quality. */
  quality: number
  /** Factor on what error costs against bits; 1 when not said. */
  lambdaScale?: number
  /** What bits cost, from an attempt before; measured on a plain rounding when there is none. */
  rates?: Rates[]
  /** What keeps each block's luminance; from an attempt before. */
  dcOffsets?: DcOffsets
}

/** What an attempt teaches the next at the same tables. */
export type FirstPass = Required<Pick<Setting, 'rates' | 'dcOffsets'>>

/** One image being encoded; `analyse`, `reconstruct` and `quantise` attempt a setting, as often as wanted, then `finish` writes the last attempt. */
export type JpegEncoder = {
  /** The image as transformed, for those who predict scores from it. */
  readonly transformed: TransformedImage
  analyse(setting: Setting): FirstPass
  /** The pixels any decoder will show; they last until the next time, whose they become. */
  reconstruct(setting: Setting): AnyRaster
  /** Quantises without working out pixels. */
  quantise(setting: Setting): void
  finish(keep?: Keep, effort?: Effort): Uint8Array
  /** Ends the encoder's use, which leaves its memory to the next; not needed, but quicker. */
  close(): void
}

/** Opens an encoder for opaque pixels (alpha is ignored); throws a RangeError when they do not fit the kernel's memory. */
export const openJpegEncoder = (
  image: AnyRaster,
  subsampling: Subsampling = '4:2:0',
  parameters: QuantiserParameters = DEFAULT_PARAMETERS,
): JpegEncoder => {
  const { kernel, giveBack } = borrowKernel()
  const transformed = transformImage(kernel, image, subsampling)
  const workspace = openWorkspace(transformed, parameters)
  const quantise = (setting: Setting): void => quantiseAll(transformed, workspace, parameters, setting)
  const reconstructed = new Uint8Array(image.width * image.height * 3)
  return {
    transformed,
    quantise,
    close: giveBack,
    analyse: (setting) => {
      quantise(setting)
      measureLuminance(kernel, transformed.frame, workspace.luminance.reconstructed)
      const dcOffsets = dcOffsetsFor(
        transformed,
        workspace.luminance,
        setting.dcOffsets,
        partsAt(setting.quality, parameters),
      )
      return { rates: measureRates(transformed), dcOffsets }
    },
    reconstruct: (setting) => {
      quantise(setting)
      return reconstruct(kernel, transformed.frame, reconstructed)
    },
    finish: (keep = {}, effort = 'brisk') =>
      writeJpeg(kernel, transformed.frame, bestScript(kernel, transformed.frame, effort), metadataSegments(keep)),
  }
}

/** Places in the kernel's memory for the tables of an attempt. */
type Workspace = {
  inverse: number
  /** Of luma and of chroma. */
  weights: number[]
  ac: number
  dc: number
  scratch: number
  maskingWeights: number[]
  luminance: LuminanceWorkspace
}

const openWorkspace = (transformed: TransformedImage, parameters: QuantiserParameters): Workspace => {
  const { kernel, frame } = transformed
  const maskingWeights = maskingWeightsOf(transformed, parameters)
  const scratch = allocate(kernel, Math.max(...frame.components.map((c) => c.widthInBlocks)) * 16)
  const at = allocate(kernel, 256 + 1024 + 64)
  const weights = [0, 1].map((c) => {
    const map = allocate(kernel, 256)
    fill(
      kernel,
      map,
      Float32Array.from(
        FREQUENCY_RAMP,
        (t, k) => t ** parameters.detail * Math.exp(parameters.distortionLogs[c]?.[k] ?? 0),
      ),
    )
    return map
  })
  const luminance = openLuminanceWorkspace(transformed)
  return { inverse: at, weights, ac: at + 256, dc: at + 1280, scratch, maskingWeights, luminance }
}

const quantiseAll = (
  transformed: TransformedImage,
  workspace: Workspace,
  parameters: QuantiserParameters,
  setting: Setting,
): void => {
  const { frame } = transformed
  setQuantTables(transformed, parameters, setting.quality)
  dering(transformed.kernel, transformed.free, transformed.dct[0]!, setting.quality, transformed.subsampling)
  let { rates } = setting
  const strictly = stricter(parameters, setting.lambdaScale ?? 1)
  if (!rates) {
    transformed.kernel.resetCounts()
    frame.components.forEach((_, c) => {
      quantiseComponent(transformed, workspace, parameters, c)
    })
    rates = measureRates(transformed)
  }
  const dcOffsets = placeDcOffsets(transformed, workspace.luminance, setting.dcOffsets)
  transformed.kernel.resetCounts()
  frame.components.forEach((_, c) => {
    quantiseComponent(transformed, workspace, strictly, c, { rates: rates[Math.min(c, 1)]!, dcOffsets: dcOffsets[c]! })
  })
}

const stricter = (parameters: QuantiserParameters, factor: number): QuantiserParameters => ({
  ...parameters,
  lambda: parameters.lambda * factor,
  chromaLambda: parameters.chromaLambda * factor,
})

/** At fine qualities chroma keeps its luminance by itself, and correcting it costs more than it gains. */
const partsAt = (quality: number, { shift }: QuantiserParameters): number[] =>
  shift.map((part, c) => (c === 0 ? part : part * Math.max(0, Math.min(1, (84 - quality) / 12))))

/**
 * A step of 8 is one code value of the block's mean, so flat areas stay what they were; coarser ones made smooth images jump by
 * four points of score, and some need a fifth more bytes.
 */
const COARSEST_DC = 8

/** Above this quality the tables are as they were learnt; below they are tilted the more, in full at 0. */
const WEIGHTED_BELOW = 50

/** Up to this many blocks of luma, chroma takes luma's table: two tables less are 134 bytes, more than better steps save. */
const SHARED_TABLE_BLOCKS = 1500

const setQuantTables = (
  { frame, subsampling }: TransformedImage,
  parameters: QuantiserParameters,
  quality: number,
): void => {
  const tables = quantTablesAt(quality, subsampling)
  const { widthInBlocks, heightInBlocks } = frame.components[0]!
  const shared = widthInBlocks * heightInBlocks <= SHARED_TABLE_BLOCKS
  const frequencyWeighting =
    parameters.frequencyWeighting * Math.max(0, Math.min(1, (WEIGHTED_BELOW - quality) / WEIGHTED_BELOW))
  frame.components.forEach((component, own) => {
    const c = shared ? 0 : own
    const scale = c > 0 ? parameters.chromaScale : 1
    component.quantTable = Uint16Array.from(tables[c]!, (step, k) => {
      const tilted = k === 0 ? step * parameters.dcScale : step * FREQUENCY_RAMP[k]! ** frequencyWeighting
      const whole = Math.max(1, Math.min(255, Math.round(tilted * scale * Math.exp(parameters.tableLogs[c]?.[k] ?? 0))))
      return k === 0 ? Math.min(whole, COARSEST_DC) : whole
    })
  })
}

/** From about 0.5 at the lowest AC to about 2 at the highest. */
const FREQUENCY_RAMP = Float64Array.from({ length: 64 }, (_, k) => 0.5 * 4 ** (k / 63))

type Known = { rates: Rates; dcOffsets: number }

const quantiseComponent = (
  transformed: TransformedImage,
  workspace: Workspace,
  parameters: QuantiserParameters,
  c: number,
  known?: Known,
): void => {
  const { kernel, frame, dct } = transformed
  const quantTable = frame.components[c]!.quantTable!
  const inverse = floatsAt(kernel, workspace.inverse, 64)
  for (let k = 0; k < 64; k++) inverse[k] = 1 / quantTable[k]!
  if (!known) {
    kernel.quantiseDc(c, dct[c]!, quantTable[0]!, workspace.dc, 0, 0, 0, workspace.scratch)
    kernel.quantisePlainly(c, dct[c]!, workspace.inverse, 0.4)
    return
  }
  fill(kernel, workspace.ac, known.rates.ac)
  fill(kernel, workspace.dc, known.rates.dc)
  const maskingWeights = workspace.maskingWeights[c]!
  kernel.quantiseDc(
    c,
    dct[c]!,
    quantTable[0]!,
    workspace.dc,
    parameters.dcLambda,
    maskingWeights,
    known.dcOffsets,
    workspace.scratch,
  )
  const lambda = c === 0 ? parameters.lambda : parameters.chromaLambda
  kernel.quantiseByTrellis(
    c,
    dct[c]!,
    workspace.inverse,
    workspace.ac,
    workspace.weights[c && 1]!,
    maskingWeights,
    lambda,
    parameters.bias,
  )
}

const fill = (kernel: Kernel, at: number, values: Float32Array): void => floatsAt(kernel, at, values.length).set(values)
