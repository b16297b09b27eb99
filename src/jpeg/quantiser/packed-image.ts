/**
 * Coefficients of a large image in the bytes that they need (kernels/jpeg/packed.ts). Strips of rows are packed when they were quantised, and unpacked
 * to be shown. Scans unpack one row of blocks after the other.
 */
import { type Component, coefficientBytes, describeFrame, type Frame, layOut, markBytes } from '../bitstream/frame.ts'
import { allocate, bytesAt, KERNEL_BYTES, type Kernel, openKernel, wordsAt } from '../kernel.ts'

/** Rows of an image in px, from the first to the one after the last. */
export interface PixelRows {
  readonly from: number
  readonly to: number
}

/** A frame whose coefficients are in the memory of a kernel. */
export interface HeldImage {
  readonly kernel: Kernel
  readonly frame: Frame
}

/** Bytes of a packed block at most. */
const PACKED_BLOCK = KERNEL_BYTES.block + KERNEL_BYTES.marks

/** Opens a kernel for the coefficients of a frame, packed or as they are. */
export const openWholeImage = (frame: Frame, isPacked: boolean): HeldImage => {
  const kernel = openKernel()
  for (const component of frame.components) {
    const bytes = isPacked ? component.stride * component.v * KERNEL_BYTES.block : coefficientBytes(component)
    component.coefs = allocate(kernel, bytes)
    if (isPacked) component.packed = allocate(kernel, component.heightInBlocks * 4)
  }
  describeFrame(kernel, frame)
  return { kernel, frame }
}

/** Rows of blocks of a component that show. The rows of px begin with an MCU. */
const blockRowsOf = ({ v, heightInBlocks }: Component, { vMax }: Frame, { from, to }: PixelRows): PixelRows => {
  const blockRow = (row: number): number => Math.ceil(row / (8 * vMax)) * v
  return { from: blockRow(from), to: Math.min(heightInBlocks, blockRow(to)) }
}

/** Copies the rows `own` of a strip, which holds the rows `held`, to the whole image, packed where it is. */
export const takeRows = ({ kernel, frame }: HeldImage, strip: HeldImage, own: PixelRows, held: PixelRows): void => {
  const before = strip.kernel.mark()
  frame.components.forEach((component, c) => {
    const { quantTable, coefs } = strip.frame.components[c]!
    component.quantTable = quantTable
    const { from, to } = blockRowsOf(component, frame, own)
    const firstHeld = blockRowsOf(component, frame, held).from
    const rowBytes = component.stride * KERNEL_BYTES.block
    if (component.packed === 0) {
      const rows = bytesAt(strip.kernel, coefs + (from - firstHeld) * rowBytes, (to - from) * rowBytes)
      bytesAt(kernel, component.coefs + from * rowBytes, rows.length).set(rows)
      return
    }
    const scratch = allocate(strip.kernel, component.widthInBlocks * PACKED_BLOCK)
    for (let row = from; row < to; row++) {
      const bytes = (strip.kernel.packRow(c, row - firstHeld, scratch) >>> 0) - scratch
      const at = allocate(kernel, bytes)
      bytesAt(kernel, at, bytes).set(bytesAt(strip.kernel, scratch, bytes))
      wordsAt(kernel, component.packed, component.heightInBlocks)[row] = at
    }
  })
  strip.kernel.release(before)
}

/** Unpacks rows of an image, in the same kernel, to a frame of their own. It becomes the one that the kernel works on. */
export const unpackRows = ({ kernel, frame }: HeldImage, rows: PixelRows): Frame => {
  const strip = layOut(frame.width, rows.to - rows.from, frame.components)
  strip.components.forEach((component, c) => {
    const { packed, heightInBlocks, quantTable } = frame.components[c]!
    const { coefs, marks } = Object.assign(component, {
      coefs: allocate(kernel, coefficientBytes(component)),
      marks: allocate(kernel, markBytes(component)),
      quantTable,
    })
    const { from, to } = blockRowsOf(frame.components[c]!, frame, rows)
    for (let row = from; row < to; row++) {
      const at = wordsAt(kernel, packed, heightInBlocks)[row]!
      const [toCoefs, toMarks] = [component.stride * KERNEL_BYTES.block, component.widthInBlocks * KERNEL_BYTES.marks]
      kernel.unpackRow(at, component.widthInBlocks, coefs + (row - from) * toCoefs, marks + (row - from) * toMarks)
    }
  })
  describeFrame(kernel, strip)
  return strip
}
