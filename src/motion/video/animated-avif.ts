import { type Ffmpeg, findFfmpeg } from './ffmpeg.ts'

export const AVIF_ENCODER = 'libaom-av1'

/** Debian 12's ffmpeg (5.1) is the first that has the muxer; npm's (4.1) has not. */
export const writesAvif = ({ encoders, muxers }: Ffmpeg): boolean => encoders.has(AVIF_ENCODER) && muxers.has('avif')

/** Whether an ffmpeg is installed that can write animated AVIF (§4.3). Loads no decoder: the server's own process asks it. */
export const canEncodeAnimatedAvif = async (ffmpegPath?: string): Promise<boolean> =>
  (await findFfmpeg(writesAvif, ffmpegPath)) !== undefined
