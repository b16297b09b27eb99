import type { AnyRaster } from '../../core/image.ts'
import { type Keep, metadataSegments } from '../bitstream/metadata.ts'
import { bestScript, type Effort } from '../bitstream/scan-script.ts'
import { writeJpeg } from '../bitstream/write.ts'
import { allocate, borrowKernel, floatsAt, type Kernel } from '../kernel.ts'
import { dering } from './dering.ts'
import { type LightDesk, openLightDesk, placeShifts, type Shifts, shiftsFor } from './linear-luminance.ts'
import { strengthsOf } from './masking.ts'
import { type Tuning, usualTuning } from './parameters.ts'
import { measureRates, type Rates } from './rates.ts'
import { measureLight, picture } from './reconstruct.ts'
import { type Subsampling, stepsAt } from './tables.ts'
import { type Canvas, openCanvas } from './transformed-image.ts'

/** What one attempt quantises with. The same setting on the same image gives the same file, whatever was tried before. */
export type Setting = {
  /** Place in the family of tables; continuous, about jpegli's quality. */
  quality: number
  /** Factor on what error costs against bits; 1 when not said. */
  strictness?: number
  /** What bits cost, from an attempt before; measured on a plain rounding when there is none. */
  rates?: Rates[]
  /** What keeps each block's light; from an attempt before. */
  shifts?: Shifts
}

/** What an attempt teaches the next at the same tables. */
export type Lessons = Required<Pick<Setting, 'rates' | 'shifts'>>

/** One image being encoded; `teach`, `show` and `settle` attempt a setting, as often as wanted, then `finish` writes the last attempt. */
export type JpegEncoder = {
  /** The image as transformed, for those who foresee scores from it. */
  readonly canvas: Canvas
  teach(setting: Setting): Lessons
  /** The pixels any decoder will show; they last until the next time, whose they become. */
  show(setting: Setting): AnyRaster
  /** Quantises without working out pixels. */
  settle(setting: Setting): void
  finish(keep?: Keep, effort?: Effort): Uint8Array
  /** Ends the encoder's use, which leaves its memory to the next; not needed, but quicker. */
  close(): void
}

/** Opens an encoder for opaque pixels (alpha is ignored); throws a RangeError when they do not fit the kernel's memory. */
export const openJpegEncoder = (
  image: AnyRaster,
  subsampling: Subsampling = '4:2:0',
  tuning: Tuning = usualTuning,
): JpegEncoder => {
  const { kernel, giveBack } = borrowKernel()
  const canvas = openCanvas(kernel, image, subsampling)
  const desk = openDesk(canvas, tuning)
  const settle = (setting: Setting): void => quantise(canvas, desk, tuning, setting)
  const shown = new Uint8Array(image.width * image.height * 3)
  return {
    canvas,
    settle,
    close: giveBack,
    teach: (setting) => {
      settle(setting)
      measureLight(kernel, canvas.frame, desk.light.shown)
      const shifts = shiftsFor(canvas, desk.light, setting.shifts, partsAt(setting.quality, tuning))
      return { rates: measureRates(canvas), shifts }
    },
    show: (setting) => {
      settle(setting)
      return picture(kernel, canvas.frame, shown)
    },
    finish: (keep = {}, effort = 'brisk') =>
      writeJpeg(kernel, canvas.frame, bestScript(kernel, canvas.frame, effort), metadataSegments(keep)),
  }
}

/** Places in the kernel's memory for the tables of an attempt. */
type Desk = {
  inverse: number
  /** Of luma and of chroma. */
  weights: number[]
  ac: number
  dc: number
  room: number
  strengths: number[]
  light: LightDesk
}

const openDesk = (canvas: Canvas, tuning: Tuning): Desk => {
  const { kernel, frame } = canvas
  const strengths = strengthsOf(canvas, tuning)
  const room = allocate(kernel, Math.max(...frame.components.map((c) => c.wide)) * 16)
  const at = allocate(kernel, 256 + 1024 + 64)
  const weights = [0, 1].map((c) => {
    const map = allocate(kernel, 256)
    fill(
      kernel,
      map,
      Float32Array.from(tilts, (t, k) => t ** tuning.detail * Math.exp(tuning.weightLogs[c]?.[k] ?? 0)),
    )
    return map
  })
  const light = openLightDesk(canvas)
  return { inverse: at, weights, ac: at + 256, dc: at + 1280, room, strengths, light }
}

const quantise = (canvas: Canvas, desk: Desk, tuning: Tuning, setting: Setting): void => {
  const { frame } = canvas
  setSteps(canvas, tuning, setting.quality)
  dering(canvas.kernel, canvas.free, canvas.dct[0]!, setting.quality, canvas.subsampling)
  let { rates } = setting
  const strictly = stricter(tuning, setting.strictness ?? 1)
  if (!rates) {
    canvas.kernel.resetCounts()
    frame.components.forEach((_, c) => {
      quantiseComponent(canvas, desk, tuning, c)
    })
    rates = measureRates(canvas)
  }
  const shifts = placeShifts(canvas, desk.light, setting.shifts)
  canvas.kernel.resetCounts()
  frame.components.forEach((_, c) => {
    quantiseComponent(canvas, desk, strictly, c, { rates: rates[Math.min(c, 1)]!, shifts: shifts[c]! })
  })
}

const stricter = (tuning: Tuning, factor: number): Tuning => ({
  ...tuning,
  lambda: tuning.lambda * factor,
  chromaLambda: tuning.chromaLambda * factor,
})

/** At fine qualities chroma keeps its light by itself, and correcting it costs more than it gains. */
const partsAt = (quality: number, { shift }: Tuning): number[] =>
  shift.map((part, c) => (c === 0 ? part : part * Math.max(0, Math.min(1, (84 - quality) / 12))))

/**
 * A step of 8 is one code value of the block's mean, so flat areas stay what they were; coarser ones made smooth images jump by
 * four points of score, and some need a fifth more bytes.
 */
const coarsestDc = 8

/** Above this quality the tables are as they were learnt; below they are tilted the more, in full at 0. */
const tiltedBelow = 50

/** Up to this many blocks of luma, chroma takes luma's table: two tables less are 134 bytes, more than better steps save. */
const sharedTables = 1500

const setSteps = ({ frame, subsampling }: Canvas, tuning: Tuning, quality: number): void => {
  const tables = stepsAt(quality, subsampling)
  const { wide, high } = frame.components[0]!
  const shared = wide * high <= sharedTables
  const tilt = tuning.tilt * Math.max(0, Math.min(1, (tiltedBelow - quality) / tiltedBelow))
  frame.components.forEach((component, own) => {
    const c = shared ? 0 : own
    const scale = c > 0 ? tuning.chromaScale : 1
    component.steps = Uint16Array.from(tables[c]!, (step, k) => {
      const tilted = k === 0 ? step * tuning.dcScale : step * tilts[k]! ** tilt
      const whole = Math.max(1, Math.min(255, Math.round(tilted * scale * Math.exp(tuning.stepLogs[c]?.[k] ?? 0))))
      return k === 0 ? Math.min(whole, coarsestDc) : whole
    })
  })
}

/** From about 0.5 at the lowest AC to about 2 at the highest. */
const tilts = Float64Array.from({ length: 64 }, (_, k) => 0.5 * 4 ** (k / 63))

type Known = { rates: Rates; shifts: number }

const quantiseComponent = (canvas: Canvas, desk: Desk, tuning: Tuning, c: number, known?: Known): void => {
  const { kernel, frame, dct } = canvas
  const steps = frame.components[c]!.steps!
  const inverse = floatsAt(kernel, desk.inverse, 64)
  for (let k = 0; k < 64; k++) inverse[k] = 1 / steps[k]!
  if (!known) {
    kernel.quantiseDc(c, dct[c]!, steps[0]!, desk.dc, 0, 0, 0, desk.room)
    kernel.quantisePlainly(c, dct[c]!, desk.inverse, 0.4)
    return
  }
  fill(kernel, desk.ac, known.rates.ac)
  fill(kernel, desk.dc, known.rates.dc)
  const strengths = desk.strengths[c]!
  kernel.quantiseDc(c, dct[c]!, steps[0]!, desk.dc, tuning.dcLambda, strengths, known.shifts, desk.room)
  const lambda = c === 0 ? tuning.lambda : tuning.chromaLambda
  kernel.quantiseByTrellis(c, dct[c]!, desk.inverse, desk.ac, desk.weights[c && 1]!, strengths, lambda, tuning.bias)
}

const fill = (kernel: Kernel, at: number, values: Float32Array): void => floatsAt(kernel, at, values.length).set(values)
