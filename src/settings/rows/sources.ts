import { HOUR_MS } from '../../core/units.ts'
import { byteCount, cidrList, milliseconds, wholeNumber } from '../readers.ts'
import { setting } from './row.ts'

/** Limits of sources. */
export const SOURCES = {
  allowPrivateSources: setting<readonly string[]>({
    env: 'ALLOW_PRIVATE_SOURCES',
    read: cidrList,
    default: [],
    shown: '',
    help: 'Address ranges that images may be fetched from although they are not public. Give as little as you can: every caller can reach what is listed here.',
  }),
  fetchTimeoutMs: setting<number>({
    env: 'FETCH_TIMEOUT',
    read: milliseconds({ min: 100, max: HOUR_MS }),
    default: 20e3,
    shown: '20s',
    help: 'Most time to fetch a source, redirects included.',
  }),
  uploadTimeoutMs: setting<number>({
    env: 'UPLOAD_TIMEOUT',
    read: milliseconds({ min: 100, max: HOUR_MS }),
    default: 60e3,
    shown: '60s',
    help: 'Most time to receive an upload.',
  }),
  maxSourceBytes: setting<number>({
    env: 'MAX_SOURCE_BYTES',
    read: byteCount(1),
    default: 50e6,
    shown: '50MB',
    help: 'Largest source that is accepted, counted after content decoding.',
  }),
  maxSide: setting<number>({
    env: 'MAX_SIDE',
    read: wholeNumber({ min: 1, max: 65500 }),
    default: 10000,
    shown: '10000',
    help: 'Most pixels a side, of sources and results.',
  }),
  maxPixels: setting<number>({
    env: 'MAX_PIXELS',
    read: wholeNumber({ min: 1, max: 4e9 }),
    default: 100e6,
    shown: '100000000',
    help: 'Most pixels of one frame, of sources and results.',
  }),
  maxTotalPixels: setting<number>({
    env: 'MAX_TOTAL_PIXELS',
    read: wholeNumber({ min: 1, max: 1e12 }),
    default: 1e9,
    shown: '1000000000',
    help: 'Most pixels of all frames of a source together.',
  }),
  maxFrames: setting<number>({
    env: 'MAX_FRAMES',
    read: wholeNumber({ min: 1, max: 1e7 }),
    default: 10_000,
    shown: '10000',
    help: 'Most frames of an animation whose result is animated.',
  }),
  maxDurationMs: setting<number>({
    env: 'MAX_DURATION',
    read: milliseconds({ min: 1, max: 24 * HOUR_MS }),
    default: 600e3,
    shown: '10m',
    help: 'Longest time that an animation may play when it is made into video or animated AVIF.',
  }),
} as const
