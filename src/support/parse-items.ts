/**
 * Parses the items of a list separated by commas or white space, without duplicates. undefined when the list is empty or `readItem`
 * returns undefined for an item.
 */
export const parseItems = (
  text: string,
  readItem: (item: string) => string | undefined,
): readonly string[] | undefined => {
  const items = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(readItem)
  const valid = items.filter((item) => item !== undefined)
  return valid.length === 0 || valid.length < items.length ? undefined : [...new Set(valid)]
}
