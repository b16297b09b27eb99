import type { Extent, VideoFormat } from '../../core/image.ts'
import type { Preset } from '../../options/options.ts'
import type { Efforts, EncoderEffort } from './efforts.ts'
import type { Ffmpeg } from './ffmpeg.ts'
import type { CrfAxis } from './search-crf.ts'

type LossyPreset = Exclude<Preset, 'lossless'>

export interface VideoSettings extends CrfAxis {
  readonly encoder: string
  /** Where a search begins. */
  readonly crf: Readonly<Record<LossyPreset, number>>
  /** Arguments of one ffmpeg program. */
  readonly args: (crf: number, ffmpeg: Pick<Ffmpeg, 'bitstreamFilters'>) => readonly string[]
  readonly efforts: Efforts
}

const pass = (speed: number, number: 1 | 2): readonly string[] => [
  '-deadline',
  'good',
  '-cpu-used',
  String(speed),
  '-pass',
  String(number),
]

const SLOW_PASSES: EncoderEffort = {
  name: 'two slow passes',
  secondsPerMegapixel: 1.1,
  mostPixels: 10e6,
  passes: [pass(4, 1), pass(1, 2)],
}

const withAlternateReferences = (count: number): EncoderEffort => ({
  ...SLOW_PASSES,
  name: `two slow passes with ${count} alternate references`,
  passes: SLOW_PASSES.passes.map((args) => [...args, '-auto-alt-ref', String(count)]),
})

/** A short clip pays for hidden frames that few frames use: none takes 0.85 to 1.6 of the bytes at the same score; three layers 0.90 to 1.09 (nine clips). */
const ALTERNATIVES: readonly EncoderEffort[] = [0, 3].map(withAlternateReferences)

/** One table for both formats; the numbers are measured: docs/design/video.md. Never `good` with cpu-used 4 or 5 in one pass: larger. */
export const VIDEO_SETTINGS: Readonly<Record<VideoFormat, VideoSettings>> = {
  h264: {
    encoder: 'libx264',
    crf: { low: 29, medium: 24, high: 19 },
    lowest: 12,
    highest: 44,
    step: 0.5,
    scorePerCrf: 2.4,
    // Finer chroma: 0.93 to 1.01 of the bytes at the same score, mean 0.97 of eight clips. 3 coarser takes 1.07, 8 finer 0.98.
    args: (crf, { bitstreamFilters }) => [
      ...['-c:v', 'libx264', '-profile:v', 'high', '-crf', String(crf)],
      ...['-x264-params', 'chroma-qp-offset=-6'],
      // x264 describes its settings in an SEI message (H.264 annex D) of 670 bytes, which no decoder needs. The filter needs ffmpeg 4.1.
      ...(bitstreamFilters.has('filter_units') ? ['-bsf:v', 'filter_units=remove_types=6'] : []),
    ],
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
        passes: [['-preset', 'medium', '-tune', 'ssim']],
      },
      {
        name: 'slower',
        secondsPerMegapixel: 0.5,
        mostPixels: 50e6,
        // At the same score 2 to 17 % smaller than medium, on eight clips.
        passes: [['-preset', 'slower', '-tune', 'ssim', '-bf', '8', '-subq', '10']],
        refs: true,
      },
    ],
  },
  webm: {
    encoder: 'libvpx-vp9',
    crf: { low: 43, medium: 34, high: 26 },
    lowest: 14,
    highest: 60,
    step: 1,
    scorePerCrf: 1.3,
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
      // From libvpx 1.8 on at the same score 0.93 to 0.97 of the bytes (five clips). Older ones report that they lack it and go on.
      '-tune',
      'ssim',
    ],
    efforts: [
      {
        name: 'realtime',
        secondsPerMegapixel: 0.05,
        mostPixels: Number.POSITIVE_INFINITY,
        passes: [['-deadline', 'realtime', '-cpu-used', '6']],
      },
      { name: 'two passes', secondsPerMegapixel: 0.66, mostPixels: 50e6, passes: [pass(4, 1), pass(2, 2)] },
      // At the same score 3 to 10 % smaller, on five clips.
      { ...SLOW_PASSES, alternatives: ALTERNATIVES },
      // The finish: at the same score 2 to 6 % smaller (six clips), for two to three times the time of an encode.
      { ...SLOW_PASSES, mostPixels: 5e6, alternatives: ALTERNATIVES, finish: ['-cpu-used', '0'] },
    ],
  },
}

/** Macroblocks that a decoder of H.264 level 4.1 keeps: every phone's does. */
const KEPT_MACROBLOCKS = 32_768

/** Frames that an H.264 encoder may refer to, at a size. */
export const refsFor = ({ width, height }: Extent): number =>
  Math.max(1, Math.min(8, Math.floor(KEPT_MACROBLOCKS / (Math.ceil(width / 16) * Math.ceil(height / 16)))))

/** The clock that frames are encoded by. Their real times are put in afterwards: encoders over-spend on real ones. */
export const CLOCK_FPS = 25

/** Bounds of a video. Sides and frames are what every player decodes. */
const VIDEO_MAX = {
  /** px of a side. */
  side: 4096,
  /** px of a frame. */
  pixels: 8_388_608,
  /** px of all frames: beyond, frames are made smaller. About a minute of the quickest encoding. */
  total: 1_000_000_000,
} as const

/** Largest size of a frame, by the number of frames. */
export const videoLimits = (frames: number): { readonly maxSide: number; readonly maxPixels: number } => ({
  maxSide: VIDEO_MAX.side,
  maxPixels: Math.max(4, Math.min(VIDEO_MAX.pixels, Math.floor(VIDEO_MAX.total / frames))),
})
