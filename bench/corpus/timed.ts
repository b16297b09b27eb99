/** What `act` gave, and the CPU milliseconds that it burnt in all threads: wall time counts what other processes do. */
export const timed = async <T>(act: () => Promise<T> | T): Promise<{ readonly ms: number; readonly value: T }> => {
  const start = process.cpuUsage()
  const value = await act()
  const { user, system } = process.cpuUsage(start)
  return { ms: (user + system) / 1000, value }
}
