import { exhaustion } from '../support/exhausted.ts'

/**
 * The result of `encode`, or of `encodeLeaner` where that fails: libaom gives up where it may not allocate a frame, which large images
 * reach under the memory limit of a child process. Throws what `encodeLeaner` throws.
 */
export const orLeaner = async <T>(encode: () => Promise<T>, encodeLeaner: () => Promise<T>): Promise<T> => {
  try {
    return await encode()
  } catch (error) {
    if (exhaustion(error) !== undefined) throw error
    return encodeLeaner()
  }
}
