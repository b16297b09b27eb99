import type { VideoFormat } from '../core/image.ts'
import type { Preset } from '../options/options.ts'

type LossyPreset = Exclude<Preset, 'lossless'>

/** How hard an encoder works, from what is there at once to what is smallest. */
export interface Effort {
  readonly name: string
  /** Most CPU seconds a megapixel of video that it was seen to take (MOTION.md), for the decision whether there is time. */
  readonly secondsPerMegapixel: number
  /** Worth its time only up to so many px of all frames. */
  readonly mostPixels: number
  /** Arguments of each pass; the last one writes. */
  readonly passes: readonly (readonly string[])[]
}

export interface VideoSettings {
  readonly encoder: string
  readonly crf: Readonly<Record<LossyPreset, number>>
  /** No search goes beyond this, and by so much the score falls a step, for a first guess. */
  readonly highest: number
  readonly scorePerStep: number
  readonly args: (crf: number) => readonly string[]
  /** Quickest first. */
  readonly efforts: readonly Effort[]
}

const pass = (speed: number, number: 1 | 2): readonly string[] => [
  '-deadline',
  'good',
  '-cpu-used',
  String(speed),
  '-pass',
  String(number),
]

/** One table for both formats; the numbers are MOTION.md's. Never `good` with cpu-used 4 or 5 in one pass: larger. */
export const VIDEO_SETTINGS: Readonly<Record<VideoFormat, VideoSettings>> = {
  h264: {
    encoder: 'libx264',
    crf: { low: 29, medium: 24, high: 19 },
    highest: 40,
    scorePerStep: 2.4,
    args: (crf) => ['-c:v', 'libx264', '-profile:v', 'high', '-crf', String(crf)],
    efforts: [
      {
        name: 'ultrafast',
        secondsPerMegapixel: 0.02,
        mostPixels: Number.POSITIVE_INFINITY,
        passes: [['-preset', 'ultrafast']],
      },
      {
        name: 'medium',
        secondsPerMegapixel: 0.08,
        mostPixels: Number.POSITIVE_INFINITY,
        passes: [['-preset', 'medium']],
      },
    ],
  },
  webm: {
    encoder: 'libvpx-vp9',
    crf: { low: 43, medium: 34, high: 26 },
    highest: 56,
    scorePerStep: 1.3,
    args: (crf) => [
      '-c:v',
      'libvpx-vp9',
      '-b:v',
      '0',
      '-crf',
      String(crf),
      '-row-mt',
      '1',
      '-auto-alt-ref',
      '1',
      '-lag-in-frames',
      '25',
    ],
    efforts: [
      {
        name: 'realtime',
        secondsPerMegapixel: 0.05,
        mostPixels: Number.POSITIVE_INFINITY,
        passes: [['-deadline', 'realtime', '-cpu-used', '6']],
      },
      { name: 'two passes', secondsPerMegapixel: 0.53, mostPixels: 60e6, passes: [pass(4, 1), pass(2, 2)] },
    ],
  },
}

/** The clock that frames are encoded by. Their real times are put in afterwards: encoders over-spend on real ones. */
export const CLOCK_FPS = 25

/** Most px a side that every player decodes, and most px a frame. */
export const VIDEO_MAX_SIDE = 4096
export const VIDEO_MAX_PIXELS = 8_388_608
/** px of all frames: beyond, frames are made smaller. About a minute of the quickest encoding. */
export const VIDEO_MAX_TOTAL = 1_000_000_000

/** What one frame of so many may have. */
export const videoLimits = (frames: number): { readonly maxSide: number; readonly maxPixels: number } => ({
  maxSide: VIDEO_MAX_SIDE,
  maxPixels: Math.max(4, Math.min(VIDEO_MAX_PIXELS, Math.floor(VIDEO_MAX_TOTAL / frames))),
})
