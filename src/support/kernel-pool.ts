/** Kernels at rest, to be used again: fresh memory costs page faults, and dropped memory waits for the collector. */
export interface KernelPool<Kernel> {
  take(): Kernel
  give(kernel: Kernel): void
}

/** Keeps returned kernels while their memory is at most `idleBytes` in all, and drops others. */
export const kernelPool = <Kernel extends { bytes(): number }>(
  create: () => Kernel,
  idleBytes: number,
): KernelPool<Kernel> => {
  const idle: Kernel[] = []
  return {
    take: () => idle.pop() ?? create(),
    give: (kernel) => {
      const held = idle.reduce((sum, one) => sum + one.bytes(), 0)
      if (held + kernel.bytes() <= idleBytes) idle.push(kernel)
    },
  }
}
