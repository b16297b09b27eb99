import { compileKernel } from '../core/compile-kernel.ts'

/** Exports of `kernels/jpeg/index.ts`; addresses and sizes are bytes in its memory. */
export interface Kernel {
  readonly memory: WebAssembly.Memory
  alloc(bytes: number): number
  mark(): number
  release(to: number): void
  clear(at: number, bytes: number): void
  component(
    c: number,
    coefs: number,
    stride: number,
    widthInBlocks: number,
    heightInBlocks: number,
    h: number,
    v: number,
    marks: number,
  ): void
  scan(n: number, widthInBlocks: number, heightInBlocks: number): void
  scanComponent(i: number, c: number, dc: number, ac: number): void
  tableInbox(): number
  setTable(kind: number, id: number): number
  readScan(first: number, last: number, kind: number, ss: number, se: number, al: number, interval: number): number
  scanEnd(): number
  histogramAt(slot: number): number
  codesAt(slot: number): number
  resetCounts(): void
  extraBits(): number
  openOutput(at: number): void
  outputEnd(): number
  surveyBlocks(c: number, bits: number, masks: number, dcs: number): number
  surveyDc(
    c: number,
    dcs: number,
    widthInBlocks: number,
    heightInBlocks: number,
    h: number,
    v: number,
    out: number,
  ): void
  surveyFirst(c: number, al: number, masks: number, cuts: number, n: number, out: number, counted: number): void
  surveyRefining(c: number, masks: number, older: number, cuts: number, n: number, out: number): void
  writeDc(al: number): void
  writeSequential(): void
  writeAcFirst(c: number, ss: number, se: number, al: number): void
  writeAcRefine(c: number, ss: number, se: number, al: number): void
  chromaPlanes(
    from: number,
    channels: number,
    width: number,
    height: number,
    h: number,
    v: number,
    cb: number,
    cr: number,
    padded: number,
    paddedHigh: number,
    scratch: number,
  ): void
  lumaBlocks(
    from: number,
    channels: number,
    width: number,
    height: number,
    v: number,
    cb: number,
    cr: number,
    padded: number,
    most: number,
    dct: number,
    activities: number,
    luminances: number,
    scratch: number,
  ): void
  forward(c: number, plane: number, padded: number, dct: number): void
  maskingWeights(
    activities: number,
    n: number,
    floor: number,
    masking: number,
    least: number,
    most: number,
    known: number,
    out: number,
  ): number
  lostEnergy(
    blocks: number,
    columns: number,
    rows: number,
    pitch: number,
    steps: number,
    leftAtHalf: number,
    out: number,
  ): void
  luminanceSlopes(at: number, n: number, out: number): void
  coarsen(from: number, n: number, h: number, v: number, to: number): void
  fitDcOffsets(
    c: number,
    dct: number,
    step: number,
    wanted: number,
    slopes: number,
    reconstructed: number,
    moved: number,
    part: number,
    known: boolean,
    dcOffsets: number,
    expected: number,
  ): void
  countPlainly(c: number, dct: number, inverse: number, bias: number): void
  quantiseByTrellis(
    c: number,
    dct: number,
    inverse: number,
    rates: number,
    weights: number,
    maskingWeights: number,
    lambda: number,
    bias: number,
  ): void
  quantiseDc(
    c: number,
    dct: number,
    step: number,
    rates: number,
    lambda: number,
    maskingWeights: number,
    dcOffsets: number,
    scratch: number,
  ): void
  listClipped(from: number, channels: number, width: number, height: number, out: number): number
  dering(
    records: number,
    count: number,
    kept: number,
    dct: number,
    thresholds: number,
    first: number,
    last: number,
    turns: number,
    most: number,
    limit: number,
  ): void
  inverse(c: number, steps: number, plane: number): void
  reconstruct(
    y: number,
    yStep: number,
    cb: number,
    cr: number,
    cStep: number,
    widthInBlocks: number,
    heightInBlocks: number,
    h: number,
    v: number,
    width: number,
    height: number,
    to: number,
    means: number,
    scratch: number,
  ): void
  reconstructGrey(
    y: number,
    yStep: number,
    width: number,
    height: number,
    to: number,
    means: number,
    scratch: number,
  ): void
}

let module: WebAssembly.Module | undefined

/** A fresh instance of the JPEG kernel with a memory of its own; dropping it frees everything. Throws when it was not built. */
export const openKernel = (): Kernel => {
  module ??= compileKernel(new URL('../../kernels/jpeg/jpeg.wasm', import.meta.url))
  const instance = new WebAssembly.Instance(module, {
    env: {
      abort: () => {
        throw new Error('the JPEG kernel aborted')
      },
    },
  })
  return instance.exports as unknown as Kernel
}

/** An instance, and bytes outside its memory for the pixels that are shown of it. */
interface Instance {
  readonly kernel: Kernel
  room: Uint8Array
}

/** A kernel lent to one image. */
export interface LentKernel {
  readonly kernel: Kernel
  /** A buffer of `bytes` for pixels, not cleared. The next call returns the same buffer. */
  room(bytes: number): Uint8Array
  giveBack(): void
}

/** Instances for the next images: the first use of memory costs up to ten milliseconds a megapixel. */
const idle: Instance[] = []
/** Instances kept at most, and bytes beyond which one is dropped. */
const MAX_IDLE = 2
const MAX_IDLE_BYTES = 96 * 2 ** 20

const bytesOf = ({ kernel, room }: Instance): number => kernel.memory.buffer.byteLength + room.length

/** As `openKernel`, or one whose memory still holds another image's numbers; `giveBack` ends its use. */
export const borrowKernel = (): LentKernel => {
  const instance = idle.pop() ?? { kernel: openKernel(), room: new Uint8Array(0) }
  const { kernel } = instance
  const start = kernel.mark()
  let lent = true
  const room = (bytes: number): Uint8Array => {
    if (instance.room.length < bytes) instance.room = new Uint8Array(bytes)
    return instance.room.subarray(0, bytes)
  }
  const giveBack = (): void => {
    if (!lent || idle.length >= MAX_IDLE || bytesOf(instance) > MAX_IDLE_BYTES) return
    lent = false
    kernel.release(start)
    idle.push(instance)
  }
  return { kernel, room, giveBack }
}

/** Allocates in the kernel's memory; throws a RangeError when its 4 GB are used up. */
export const allocate = (kernel: Kernel, bytes: number): number => {
  const at = bytes < 2 ** 32 ? kernel.alloc(bytes) : 0
  if (at === 0) throw new RangeError(`the JPEG kernel has no ${bytes} bytes left`)
  return at >>> 0
}

/** Views of the kernel's memory; growing the memory detaches them, so take them fresh after every allocation. */
export const bytesAt = (kernel: Kernel, at: number, length: number): Uint8Array =>
  new Uint8Array(kernel.memory.buffer, at, length)

/** As `bytesAt`, of 32-bit floats. */
export const floatsAt = (kernel: Kernel, at: number, length: number): Float32Array =>
  new Float32Array(kernel.memory.buffer, at, length)

/** As `bytesAt`, of 32-bit numbers. */
export const wordsAt = (kernel: Kernel, at: number, length: number): Uint32Array =>
  new Uint32Array(kernel.memory.buffer, at, length)
