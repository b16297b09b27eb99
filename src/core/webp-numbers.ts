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
