/** Filters of a row by their first byte (PNG, section 9.2). */
export const PNG_FILTER = { none: 0, left: 1, up: 2, mean: 3, paeth: 4 } as const
