import { availableParallelism } from 'node:os'
import { EFFORT_LEVELS, type Effort } from '../../core/effort.ts'
import { LATEST_START_MS } from '../../core/intervals.ts'
import { byteCount, filePath, milliseconds, oneOf, seconds, wholeNumber } from '../readers.ts'
import { setting } from './row.ts'

const KERNEL_VECTORS = ['auto', '128'] as const
const CORES = availableParallelism()

/** Settings of searches, worker processes and the queue. */
export const WORK = {
  maxTimeoutSeconds: setting<number>({
    env: 'MAX_TIMEOUT',
    read: seconds({ min: 0.1, max: 3600 }),
    default: 30,
    shown: '30s',
    help: 'Most that timeout= may ask for. Without timeout= a request gets 30 s, or this when it is less.',
  }),
  redirectAfterMs: setting<number>({
    env: 'REDIRECT_AFTER',
    read: milliseconds({ min: 0, max: LATEST_START_MS }),
    default: 20e3,
    shown: '20s',
    help: 'How long after its arrival a request that is not done is answered with 303 and the address of the result. At most 25 s, since clients give up at 30.',
  }),
  workers: setting<number>({
    env: 'WORKERS',
    read: wholeNumber({ min: 1, max: 1024 }),
    default: CORES,
    shown: 'number of processor cores',
    help: 'Child processes that work on images, each on one image at a time.',
  }),
  workerMaxJobs: setting<number>({
    env: 'WORKER_MAX_JOBS',
    read: wholeNumber({ min: 1, max: 1e9 }),
    default: 2000,
    shown: '2000',
    help: 'Images after which a child process is replaced by a fresh one.',
  }),
  workerMaxMemory: setting<number>({
    env: 'WORKER_MAX_MEMORY',
    read: byteCount(64e6),
    default: 1e9,
    shown: '1GB',
    help: 'Resident memory above which a child process is replaced after its image.',
  }),
  workerRestMemory: setting<number>({
    env: 'WORKER_REST_MEMORY',
    read: byteCount(64e6),
    default: 200e6,
    shown: '200MB',
    help: 'Resident memory above which a child process that had nothing to do for 15 seconds is replaced.',
  }),
  workerMemoryLimit: setting<number | undefined>({
    env: 'WORKER_MEMORY_LIMIT',
    read: byteCount(256e6),
    default: undefined,
    shown: '3GB, or 80 % of the memory of the machine (or its container) divided by WORKERS when that is less',
    help: 'Resident memory at which a child process, with every program that it started, is ended during its image, which then gets 422.',
  }),
  queueLimit: setting<number>({
    env: 'QUEUE_LIMIT',
    read: wholeNumber({ min: 0, max: 1e6 }),
    default: 128,
    shown: '128',
    help: 'Requests that may wait for a child process; beyond it they get 503 at once.',
    warning: (limit) =>
      limit < 128 ? `QUEUE_LIMIT is ${limit}: clients that send many requests at once may count on 128.` : undefined,
  }),
  kernelVectors: setting<(typeof KERNEL_VECTORS)[number]>({
    env: 'KERNEL_VECTORS',
    read: oneOf(KERNEL_VECTORS),
    default: 'auto',
    shown: 'auto',
    help: 'Width in bits of the vectors that images are compared and encoded with: 128, or auto, which is 256 on processors with AVX2 under versions of Node where that was tried. The results are the same.',
  }),
  effort: setting<Effort>({
    env: 'EFFORT',
    read: oneOf(EFFORT_LEVELS),
    default: 'usual',
    shown: 'usual',
    help: 'CPU that still WebP and AVIF may take: usual, or more, which is about twice as much for WebP and five times for AVIF. It saves 2 to 5 % of the bytes at the same quality.',
  }),
  backgroundEffort: setting<Effort>({
    env: 'BACKGROUND_EFFORT',
    read: oneOf(EFFORT_LEVELS),
    default: 'usual',
    shown: 'usual',
    help: 'The same for searches in the background, while no request waits for a worker. With more, WebP and AVIF of live delivery are later replaced by smaller ones of the same quality.',
  }),
  ffmpegPath: setting<string | undefined>({
    env: 'FFMPEG_PATH',
    read: filePath,
    default: undefined,
    shown: '',
    help: 'The ffmpeg to make video with. When unset: ffmpeg on the PATH, else the one that npm installed.',
  }),
} as const
