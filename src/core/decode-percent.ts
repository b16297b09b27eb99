/** Decodes a percent-encoded text. Returns undefined for a stray percent sign, or bytes that are not UTF-8. */
export const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
