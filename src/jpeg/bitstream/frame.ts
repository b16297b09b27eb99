/** A component of a JPEG: its coefficients lie in the kernel's memory, i16, 64 a block in zigzag order. */
export type Component = {
  id: number
  h: number
  v: number
  /** Blocks that show, across and down. */
  widthInBlocks: number
  heightInBlocks: number
  /** Blocks held in a row, padded to whole MCUs. */
  stride: number
  /** Rows of blocks held. */
  rows: number
  coefs: number
  /** Quantisation steps, zigzag order; undefined until the first scan of the component. */
  quantTable: Uint16Array | undefined
}

/** A JPEG's image without its bytes: size in pixels and components. */
export type Frame = {
  width: number
  height: number
  hMax: number
  vMax: number
  /** MCUs of an interleaved scan, across and down. */
  mcusWide: number
  mcusHigh: number
  components: Component[]
}

/** One scan of a script: which components (indices), which coefficients (zigzag), which bits. */
export type Scan = { components: number[]; ss: number; se: number; ah: number; al: number }

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
    quantTable: undefined,
  }))
  return { width, height, hMax, vMax, mcusWide, mcusHigh, components }
}

/** Bytes the coefficients of one component take. */
export const coefficientBytes = (component: Component): number => component.stride * component.rows * 128

/** Tells the kernel of the frame's components. */
export const describeFrame = (
  kernel: { component(...facts: [number, number, number, number, number, number, number]): void },
  frame: Frame,
): void => {
  frame.components.forEach((c, i) => {
    kernel.component(i, c.coefs, c.stride, c.widthInBlocks, c.heightInBlocks, c.h, c.v)
  })
}
