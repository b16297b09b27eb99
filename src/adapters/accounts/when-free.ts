import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` again while `isBusy` accepts its error, for at most `timeoutMs` ms. Then throws the last error. */
export const whenFree = async <T>(
  work: () => Promise<T> | T,
  { isBusy, timeoutMs }: { isBusy: (error: unknown) => boolean; timeoutMs: number },
): Promise<T> => {
  const end = performance.now() + timeoutMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error
    }
    // A random pause, so that writers who collided do not collide again; a write takes well under a millisecond.
    await sleep(1 + Math.random() * Math.min(20, 2 ** attempt))
  }
}
