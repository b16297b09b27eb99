import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lazily } from './lazily.ts'

const collect = lazily((): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})

/**
 * Runs a full garbage collection, which takes 10 to 30 ms. Images and the memories of kernels lie outside of V8's heap, so V8 collects
 * them late. Call this before a step that needs hundreds of megabytes.
 */
export const collectGarbage = (): void => collect()()

/**
 * Frees libvips' buffers and the memories of kernels too. A native callback holds its buffer until its turn of the event loop ends, and V8
 * frees most of a kernel's memory in the second collection.
 */
export const collectAllGarbage = async (): Promise<void> => {
  for (let times = 0; times < 2; times++) {
    await setImmediate()
    collectGarbage()
  }
}
