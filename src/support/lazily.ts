/** Returns a function that computes a value on its first call and keeps it. */
export const lazily = <T>(work: () => T): (() => T) => {
  let kept: { readonly value: T } | undefined
  return () => {
    kept ??= { value: work() }
    return kept.value
  }
}
