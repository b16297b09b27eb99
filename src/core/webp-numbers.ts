/** Numbers of WebP and of libwebp. */
export const WEBP = {
  /** libwebp's finest quality. */
  finestQuality: 100,
  /** The effort of libwebp that tries most. */
  slowestEffort: 6,
  /** The longest delay that the format holds: 24 bits of milliseconds (RFC 9649, section 2.7.1.1). */
  maxDelayMs: 0xffffff,
  /** The longest delay that libvips takes. */
  maxVipsDelayMs: 65_535,
} as const

/** Figures of VP8, the lossy coding of WebP (RFC 6386, sections 9.1, 9.3 and 9.6). */
export const VP8 = {
  /** Bytes of a key frame's uncompressed header. */
  headerBytes: 10,
  /** Segments of a frame. */
  segments: 4,
  /** The largest index of a quantiser; 0 is the finest. */
  maxIndex: 127,
  /** Steps of the quantiser of AC coefficients by index, straight between these within 3 % (section 14.1). */
  acSteps: [
    [0, 4],
    [54, 58],
    [80, 110],
    [116, 229],
    [127, 284],
  ],
} as const
