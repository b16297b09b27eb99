/** One scale of an image: its size, and which channels are computed (bit 0 X, bit 1 Y, bit 2 B). */
export interface ScaleShape {
  readonly width: number
  readonly height: number
  readonly mask: number
}

/** `exact` computes every map. `pruned` skips maps of low weight: at most 0.0007 off on the golden pairs, in half the time. */
export type Mode = 'exact' | 'pruned'

/** Bits of the channels X, Y and B. With six scales: full-size Y; X and Y at 1:2 and 1:4; all at 1:8 and 1:16; nothing at 1:32. */
const PRUNED_MASKS = [0b010, 0b011, 0b011, 0b111, 0b111, 0b000]

/**
 * The scales of an image of width x height px (each at least 8), largest first: halved, rounding up, while both sides of the
 * one before reach 8 px; at most six.
 * Fewer than six shift the weights, so that nothing may be pruned.
 */
export const shapeScales = (width: number, height: number, mode: Mode): ScaleShape[] => {
  const shapes: ScaleShape[] = []
  while (shapes.length < 6 && Math.min(width, height) >= 8) {
    if (shapes.length > 0) [width, height] = [Math.ceil(width / 2), Math.ceil(height / 2)]
    shapes.push({ width, height, mask: 0b111 })
  }
  if (mode === 'exact' || shapes.length < 6) return shapes
  return shapes.map((shape, scale) => ({ ...shape, mask: PRUNED_MASKS[scale]! }))
}

/** The masks as the kernel takes them: three bits a scale, the largest scale lowest. */
export const packMasks = (shapes: readonly ScaleShape[]): number =>
  shapes.reduce((packed, { mask }, scale) => packed | (mask << (3 * scale)), 0)

/** Bytes that the kernel keeps of a reference: three planes of floats for each channel computed, rows padded to 32 bytes. */
export const keptBytes = (shapes: readonly ScaleShape[]): number =>
  shapes.reduce((sum, { width, height, mask }) => sum + Math.ceil(width / 8) * 32 * height * 3 * channelsIn(mask), 0)

const channelsIn = (mask: number): number => (mask & 1) + ((mask >> 1) & 1) + (mask >> 2)
