/** Linear light 0..1 of an 8-bit sRGB sample, by the formula of IEC 61966-2-1. */
export const linearLight = (sample: number): number => {
  const v = sample / 255
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
}
