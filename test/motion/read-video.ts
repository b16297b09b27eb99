import { readFile } from 'node:fs/promises'
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny'

/** Facts of a video file. */
export interface VideoFacts {
  readonly frames: number
  readonly durationMs: number
  readonly width: number
  readonly height: number
  /** When each frame begins, in ms, in the order of showing. */
  readonly starts: readonly number[]
}

/** Reads a video's own tables of times, of a file or of its bytes; decodes nothing. */
export const readVideo = async (video: string | Buffer): Promise<VideoFacts> => {
  const bytes = typeof video === 'string' ? await readFile(video) : video
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS })
  const track = await input.getPrimaryVideoTrack()
  if (track === null) throw new Error('This file holds no video')
  const starts: number[] = []
  for await (const packet of new EncodedPacketSink(track).packets()) starts.push(packet.timestamp * 1000)
  return {
    frames: starts.length,
    // The container's field, which players use: the last packet of a WebM has no duration.
    durationMs: ((await input.getDurationFromMetadata()) ?? (await input.computeDuration())) * 1000,
    width: track.displayWidth,
    height: track.displayHeight,
    starts: starts.sort((a, b) => a - b),
  }
}
