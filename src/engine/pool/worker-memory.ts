import { totalmem } from 'node:os'

/** Maximum bytes for one image: 100 megapixels took 1 to 3 GB (docs/security.md). */
const MAX_WORKER_BYTES = 3e9
/** Bytes below which even small images fail. A child and its kernels alone take 100 MB. */
const MIN_WORKER_BYTES = 512e6
/** Fraction of the memory for all children. The rest is for the service and the system. */
const CHILDREN_PART = 0.8

/** Bytes of the machine, or of the container that it runs in. */
const availableMemory = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/** Bytes for each of `workers` children, from a machine's or a container's memory. */
export const workerMemory = (workers: number, memory = availableMemory()): number =>
  Math.max(MIN_WORKER_BYTES, Math.min(MAX_WORKER_BYTES, (CHILDREN_PART * memory) / workers))
