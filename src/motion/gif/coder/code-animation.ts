import type { Box, Raster } from '../../../core/image.ts'
import { COORDINATES, type CodableAnimation, type CodedFrame, type Loss } from './frame.ts'
import { type GifKernel, giveKernel, takeKernel } from './kernel.ts'
import { type CoderPalette, pointsOf } from './palette.ts'
import { weighFrames } from './visibility.ts'

/** How an animation is to be coded. */
export interface Coding {
  /** The palette of a frame by its number. */
  readonly paletteOf: (frame: number) => CoderPalette
  readonly lossOf: (frame: number) => Loss
  /** Asked often: from when it is true on nothing more comes. */
  readonly isTimeUp?: () => boolean
}

/** A coded frame, and the canvas that a decoder shows with it. */
export interface StoredFrame {
  readonly box: Box
  readonly coded: CodedFrame
  readonly palette: CoderPalette
  /** The box is cleared after its time. */
  readonly clears: boolean
  /** The canvas; its data is that of the next frame later, and of others in the end. */
  readonly shown: Raster
}

/** Symbols weighed between two questions whether time is up: a few milliseconds. */
const BETWEEN_LOOKS = 1 << 17

/** Opens a kernel's memory for an animation: where things are put in, and the canvas. */
const openMemory = ({ exports }: GifKernel, { width, height, colours }: CodableAnimation, points: Float32Array) => {
  const count = colours.length / 4
  if (exports.configure(width, height, count) === 0) throw new RangeError(`no memory to code ${width} x ${height} px`)
  const { buffer } = exports.memory
  const bytes = (at: number, length: number): Uint8Array => new Uint8Array(buffer, at >>> 0, length)
  const floats = (at: number, length: number): Float32Array => new Float32Array(buffer, at >>> 0, length)
  const words = (at: number, length: number): Uint32Array => new Uint32Array(buffer, at >>> 0, length)
  floats(exports.tablePointsAddress(), count * COORDINATES).set(points)
  const opaque = bytes(exports.tableOpaqueAddress(), count)
  for (let at = 0; at < count; at += 1) opaque[at] = colours[at * 4 + 3] === 0 ? 0 : 1
  const size = width * height
  return {
    wish: words(exports.wishAddress(), size),
    next: words(exports.nextAddress(), size),
    weights: floats(exports.weightsAddress(), size),
    canvas: bytes(exports.canvasAddress(), size * 4),
    setPalette: (palette: CoderPalette): void => {
      floats(exports.palettePointsAddress(), palette.points.length).set(palette.points)
      bytes(exports.paletteAddress(), palette.colours.length).set(palette.colours)
    },
    /** A copy: the next frame's codes overwrite the kernel's. */
    codes: (): Uint8Array => bytes(exports.codesAddress(), exports.codesLength()).slice(),
  }
}

function* codeFrames(
  kernel: GifKernel,
  animation: CodableAnimation,
  { paletteOf, lossOf, isTimeUp = () => false }: Coding,
  weightsByFrame: (isTimeUp: () => boolean) => readonly Float32Array[] | undefined,
): Generator<StoredFrame, void> {
  const { exports } = kernel
  const { width, height, frames, colours, entries } = animation
  const points = pointsOf(colours)
  const memory = openMemory(kernel, animation, points)
  const entriesOf = (number: number): Uint16Array =>
    entries.subarray(number * width * height, (number + 1) * width * height)
  for (let number = 0; number < frames; number += 1) {
    const [palette, loss] = [paletteOf(number), lossOf(number)]
    const hasNext = number + 1 < frames
    // Where nothing may be lost no error counts, however much.
    if (loss.most === 0) memory.weights.fill(1)
    else {
      const weights = weightsByFrame(isTimeUp)?.[number]
      if (weights === undefined) return
      memory.weights.set(weights)
    }
    memory.wish.set(entriesOf(number))
    if (hasNext) memory.next.set(entriesOf(number + 1))
    memory.setPalette(palette)
    exports.beginFrame(palette.colours.length / 4, loss.most, loss.perBit, hasNext)
    do if (isTimeUp()) return
    while (exports.code(BETWEEN_LOOKS) === 0)
    exports.draw()
    const clears = exports.clearsAfter() !== 0
    yield {
      box: { left: exports.left(), top: exports.top(), width: exports.across(), height: exports.down() },
      coded: { codeSize: exports.codeSize(), codes: memory.codes() },
      palette,
      clears,
      shown: { width, height, channels: 4, data: memory.canvas },
    }
    if (clears) exports.clear()
  }
}

/** Codes one animation again and again; holds a kernel until it is disposed of. */
export interface AnimationCoder extends Disposable {
  /** Frame by frame, each over what is there, one animation after the other. Ends early when time is up. Throws a RangeError where memory does not suffice. */
  readonly code: (coding: Coding) => Generator<StoredFrame, void>
}

export const openAnimationCoder = (animation: CodableAnimation): AnimationCoder => {
  const kernel = takeKernel()
  let weighed: ReturnType<typeof weighFrames>
  const weightsByFrame = (isTimeUp: () => boolean) =>
    (weighed ??= weighFrames(animation, pointsOf(animation.colours), isTimeUp))
  return {
    code: (coding) => codeFrames(kernel, animation, coding, weightsByFrame),
    [Symbol.dispose]: () => giveKernel(kernel),
  }
}
