/** What an SVG may cost (§4.4): a drawing is a program, so its size in bytes says little about the work it makes. */
export const SVG_LIMITS = {
  /** Bytes of markup, after gunzip: an SVGZ of 50 KB can hold 50 MB. */
  bytes: 20_000_000,
  elements: 200_000,
  /** Nesting of elements; librsvg and browsers recurse. */
  depth: 256,
  /** Characters that entities may add. */
  entityText: 2_000_000,
  /** `use` elements followed, nested ones each time: librsvg refuses beyond so many, but only when it got there, after 10 s. */
  uses: 500_000,
  /** Memory that a drawing with effects or embedded images may take, by a count of its surfaces. */
  drawingBytes: 1_200_000_000,
  /** `data:` SVG inside `data:` SVG. */
  nesting: 2,
} as const
