import type { Kernel } from './kernel.ts'

/** Kernels at rest, to be used again: fresh memory costs page faults, and dropped memory waits for the collector. */
export type KernelPool = { take(): Kernel; give(kernel: Kernel): void }

/** Holds on to returned kernels while their memory comes to at most `idleBytes`; others are dropped. */
export const kernelPool = (create: () => Kernel, idleBytes: number): KernelPool => {
  const idle: Kernel[] = []
  return {
    take: () => idle.pop() ?? create(),
    give: (kernel) => {
      const held = idle.reduce((sum, one) => sum + one.bytes(), 0)
      if (held + kernel.bytes() <= idleBytes) idle.push(kernel)
    },
  }
}
