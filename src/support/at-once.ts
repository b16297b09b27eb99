/** Calls `act` for each item, `limit` at a time. Returns the results in the order of the items. */
export const mapAtOnce = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await act(items[at]!)
  }
  await Promise.all(Array.from({ length: limit }, lane))
  return results
}
