import type { Kernel } from '../kernel.ts'

/** A component of a JPEG: its coefficients lie in the kernel's memory, i16, 64 a block in zigzag order. */
export interface Component {
  readonly id: number
  readonly h: number
  readonly v: number
  /** Blocks that show, across and down. */
  readonly widthInBlocks: number
  readonly heightInBlocks: number
  /** Blocks held in a row, padded to whole MCUs. */
  readonly stride: number
  /** Rows of blocks held. */
  readonly rows: number
  coefs: number
  /** Eight bytes for each block that shows, densely in the kernel's memory: see kernels/jpeg/components.ts; 0 where it is neither quantised nor shown. */
  marks: number
  /** Where the addresses of packed rows lie (kernels/jpeg/packed.ts), in the kernel's memory; 0 where rows are not packed. */
  packed: number
  /** Quantisation steps, zigzag order; undefined until the first scan of the component. */
  quantTable: Uint16Array | undefined
}

/** A JPEG's image without its bytes: size in pixels and components. */
export interface Frame {
  readonly width: number
  readonly height: number
  readonly hMax: number
  readonly vMax: number
  /** MCUs of an interleaved scan, across and down. */
  readonly mcusWide: number
  readonly mcusHigh: number
  readonly components: Component[]
}

/** One scan of a script: which components (indices), which coefficients (zigzag), which bits. */
export interface Scan {
  readonly components: number[]
  readonly ss: number
  readonly se: number
  readonly ah: number
  readonly al: number
}

/** Lays out a frame of `width` x `height` pixels; coefficients are not yet allocated (`coefs` 0). */
export const layOut = (width: number, height: number, parts: { id: number; h: number; v: number }[]): Frame => {
  const hMax = Math.max(...parts.map((part) => part.h))
  const vMax = Math.max(...parts.map((part) => part.v))
  const mcusWide = Math.ceil(width / (8 * hMax))
  const mcusHigh = Math.ceil(height / (8 * vMax))
  const components = parts.map(({ id, h, v }) => ({
    id,
    h,
    v,
    widthInBlocks: Math.ceil(Math.ceil((width * h) / hMax) / 8),
    heightInBlocks: Math.ceil(Math.ceil((height * v) / vMax) / 8),
    stride: mcusWide * h,
    rows: mcusHigh * v,
    coefs: 0,
    marks: 0,
    packed: 0,
    quantTable: undefined,
  }))
  return { width, height, hMax, vMax, mcusWide, mcusHigh, components }
}

/** Bytes the coefficients of one component take. */
export const coefficientBytes = (component: Component): number => component.stride * component.rows * 128

/** Bytes the marks of one component take. */
export const markBytes = ({ widthInBlocks, heightInBlocks }: Component): number => widthInBlocks * heightInBlocks * 8

/** Describes the frame's components to the kernel. */
export const describeFrame = (kernel: Pick<Kernel, 'component'>, frame: Frame): void => {
  frame.components.forEach((c, i) => {
    const { coefs, stride, widthInBlocks, heightInBlocks, h, v, marks, packed } = c
    kernel.component({ c: i, coefs, stride, wide: widthInBlocks, high: heightInBlocks, h, v, marks, packed })
  })
}
