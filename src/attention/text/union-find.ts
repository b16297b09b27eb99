/** A disjoint-set forest with path halving: entry `i` holds the parent of `i`, a root holds itself. */
export type Forest = Int32Array

/** A forest of `count` sets with one member each. */
export const singletons = (count: number): Forest => Int32Array.from({ length: count }, (_, index) => index)

/** The root of the set that holds `member`. */
export const findRoot = (forest: Forest, member: number): number => {
  let up = member
  while (forest[up] !== up) {
    const next = forest[forest[up]!]!
    forest[up] = next
    up = next
  }
  return up
}

/** Unites the sets of two members under the smaller root. `a` points at the root, so that it is found at once. */
export const unite = (forest: Forest, a: number, b: number): void => {
  const [first, second] = [findRoot(forest, a), findRoot(forest, b)]
  const root = Math.min(first, second)
  forest[Math.max(first, second)] = root
  forest[a] = root
}
