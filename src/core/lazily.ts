/** A value that is worked out when it is first asked for, and then kept. */
export const lazily = <T>(work: () => T): (() => T) => {
  let kept: { readonly value: T } | undefined
  return () => {
    kept ??= { value: work() }
    return kept.value
  }
}
