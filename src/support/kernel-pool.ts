/** Unused kernel instances for reuse. New memory costs page faults, and old memory stays until garbage collection. */
export interface KernelPool<Kernel> {
  take(): Kernel
  give(kernel: Kernel): void
}

/** The kernels at rest of every pool. */
const atRest: unknown[][] = []

/** Drops the kernels at rest of every pool. Call this before a step that needs hundreds of megabytes. */
export const dropIdleKernels = (): void => {
  for (const idle of atRest) idle.length = 0
}

/** Bytes that kernels at rest hold at most by default: one image of four megapixels. Chosen, not measured. */
const IDLE_KERNEL_BYTES = 32e6

/** Keeps returned kernels up to `idleBytes` of memory in total, and drops further ones. */
export const kernelPool = <Kernel extends { bytes(): number }>(
  create: () => Kernel,
  idleBytes = IDLE_KERNEL_BYTES,
): KernelPool<Kernel> => {
  const idle: Kernel[] = []
  atRest.push(idle)
  return {
    take: () => idle.pop() ?? create(),
    give: (kernel) => {
      const held = idle.reduce((sum, one) => sum + one.bytes(), 0)
      if (held + kernel.bytes() <= idleBytes) idle.push(kernel)
    },
  }
}
