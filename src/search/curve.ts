/** Points of a piecewise linear curve, by rising x. */
export type Curve = readonly (readonly [x: number, y: number])[]

/** `value`, or the end of `min`..`max` that it lies beyond. */
export const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/** The curve's value at `x`. Beyond both ends the first and the last segment go on. The curve has two points or more. */
export const valueAt = (curve: Curve, x: number): number => {
  const after = curve.findIndex(([at]) => at >= x)
  const end = after === -1 ? curve.length - 1 : Math.max(1, after)
  const [x0, y0] = curve[end - 1]!
  const [x1, y1] = curve[end]!
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0)
}

/** The curve with x and y exchanged, for curves whose y rises too: `valueAt(inverse(curve), y)` is the x at which the curve reaches `y`. */
export const inverse = (curve: Curve): Curve => curve.map(([x, y]) => [y, x] as const)
