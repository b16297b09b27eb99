/** `count` entries of a list, evenly spread; all of a shorter one. */
export const spread = <T>(list: readonly T[], count: number): readonly T[] => {
  const many = Math.min(count, list.length)
  return list.filter((_, i) => Math.floor((i * many) / list.length) !== Math.floor(((i - 1) * many) / list.length))
}
