import type { Extent } from '../../src/core/image.ts'
import type { Options } from '../../src/options/options.ts'

const MAX_SIDE = 10_000
const MAX_PIXELS = 100e6

/** §2.4, worked out apart from the service: nothing beyond the limits, the aspect ratio kept. */
const clamped = ({ width, height }: Extent): Extent => {
  const scale = Math.min(1, MAX_SIDE / width, MAX_SIDE / height, Math.sqrt(MAX_PIXELS / (width * height)))
  return scale === 1
    ? { width, height }
    : { width: Math.floor(width * scale) || 1, height: Math.floor(height * scale) || 1 }
}

/**
 * The size in px that the contract's table gives (§2), from the upright, trimmed source. Written apart from
 * `src/plan/geometry.ts`, which it checks. A drawing (`vector`) is sharp up to its size x density.
 */
export const expectedSize = ({ resize }: Pick<Options, 'resize'>, source: Extent, vector: boolean): Extent => {
  if (resize.kind === 'full') return clamped(source)
  const { density, method } = resize
  const box = { width: (resize.width ?? Infinity) * density, height: (resize.height ?? Infinity) * density }
  if (method.kind === 'crop' || method.kind === 'pad') return clamped(box)
  const inside = Math.min(box.width / source.width, box.height / source.height)
  const scale = method.kind === 'fit' ? inside : Math.min(vector ? density : 1, inside)
  const side = (length: number): number => Math.max(1, Math.round(length * scale))
  return clamped({ width: side(source.width), height: side(source.height) })
}
