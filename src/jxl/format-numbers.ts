/** Numbers of JPEG XL (ISO/IEC 18181-1, section or annex behind each). */
export const JXL = {
  /** Side of a group in px, and of an LF group in blocks (annex F). */
  groupSide: 256,
  /** Side of a tile that shares a chroma-from-luma factor, in blocks (annex G). */
  colourTileBlocks: 8,
  /** Sides up to this number of px that are multiples of 8 take 5 bits (annex D). */
  maxSmallSide: 256,
  /** Frame flag: LF coefficients are shown as they are (annex F). */
  skipLfSmoothing: 128,
  /** Bits of the sum of a distribution (annex C). */
  distributionBits: 12,
  /** The symbol that repeats the last number of a distribution, and the fewest zeros that it stands for (annex C). */
  repeatSymbol: 13,
  minRepeat: 4,
  /** Shortest list of frequencies that has a general form (annex C). */
  minListed: 3,
  /** The smallest logarithm of an alphabet's size (annex C). */
  minLogAlphabet: 5,
  /** Clusters whose numbers a map can hold bit by bit (annex C). */
  maxSimpleClusters: 8,
  /** Contexts: of a profile's bytes (annex E), a tree's numbers (annex H), and a coefficient order's numbers (annex I). */
  profileContexts: 41,
  treeContexts: 6,
  permutationContexts: 8,
  /** Contexts of the number of a block's coefficients and of a coefficient, by block context (annex I). */
  countContexts: 37,
  coefficientContexts: 458,
  /** Kinds of transform that have contexts of their own; ours is the first (annex I). */
  transformKinds: 13,
  /** Thresholds of luma's LF coefficients at most: they make 8 contexts for luma and as many for chroma, of 16 (annex I). */
  maxLumaThresholds: 7,
  /** The command of a profile that inserts bytes as they are (annex E). */
  insertBytes: 1,
} as const

/** How our encoder cuts numbers into symbols and bits; `kernels/jxl` does the same. */
export const TOKEN = {
  /** Numbers below 2 to this power are their own symbols. */
  splitExponent: 4,
  /** Bits after the leading one that a symbol holds. */
  leadingBits: 2,
  /** Bits of a value in a packed token. */
  valueBits: 18,
  /** Bytes that a token takes at most: a renewed state and extra bits. */
  maxBytes: 5,
  /** Clusters of distributions at most: `kernels/jxl/cluster.ts`. */
  maxClusters: 128,
  /** Tokens of a block at most: its count and 63 coefficients. */
  maxPerBlock: 64,
} as const
