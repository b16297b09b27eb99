/** Sets an entry as the newest of a map, and removes the oldest one above `maxEntries`. */
export const setNewest = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxEntries: number): void => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > maxEntries && oldest !== undefined) map.delete(oldest)
}
