/** Limits of an SVG (§4.4). A drawing is a program, so its size in bytes says little about its cost. */
export const SVG_LIMITS = {
  /** Bytes of markup after decompression: an SVGZ of 50 KB can contain 50 MB. */
  bytes: 20_000_000,
  elements: 200_000,
  /** Nesting of elements; librsvg and browsers recurse. */
  depth: 256,
  /** Characters added by entities. */
  entityText: 2_000_000,
  /** Followed `use` elements, nested ones each time. librsvg has the same limit, but reaches it only after 10 s. */
  uses: 500_000,
  /** Estimated memory of a drawing with effects or embedded images, by its surfaces. */
  drawingBytes: 1_200_000_000,
  /** Depth of `data:` SVG inside `data:` SVG. */
  nesting: 2,
} as const
