import { writeFile } from 'node:fs/promises'
import {
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MATROSKA,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from 'mediabunny'
import { clearMp4Times } from '../../containers/mp4.ts'
import { startTimes } from '../frames/timing.ts'
import { CLOCK_FPS } from './video-settings.ts'

export interface Stamping {
  /** ffmpeg's output: one packet a frame, by the encoders' clock. */
  readonly matroska: Buffer
  readonly container: 'mp4' | 'webm'
  /** ms that each frame is shown */
  readonly delays: readonly number[]
  readonly path: string
}

const CONTAINERS = {
  // The index first, so that playing begins before all is there.
  mp4: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
  webm: () => new WebMOutputFormat(),
} as const

/** Puts every packet at its frame's true time and writes the file. Throws when packets and frames do not match. */
export const stampVideo = async ({ matroska, container, delays, path }: Stamping): Promise<void> => {
  using input = new Input({ source: new BufferSource(matroska), formats: [MATROSKA] })
  const track = await input.getPrimaryVideoTrack()
  const decoderConfig = await track?.getDecoderConfig()
  const codec = track?.codec
  if (track === null || !decoderConfig || !codec) throw new Error('ffmpeg wrote no video')
  const target = new BufferTarget()
  const output = new Output({ format: CONTAINERS[container](), target })
  const source = new EncodedVideoPacketSource(codec)
  output.addVideoTrack(source)
  await output.start()
  const starts = startTimes(delays)
  let packets = 0
  for await (const packet of new EncodedPacketSink(track).packets()) {
    const frame = Math.round(packet.timestamp * CLOCK_FPS)
    const start = starts[frame]
    const delay = delays[frame]
    if (start === undefined || delay === undefined) throw new Error(`ffmpeg wrote a frame ${frame} of ${delays.length}`)
    await source.add(packet.clone({ timestamp: start / 1000, duration: delay / 1000 }), { decoderConfig })
    packets += 1
  }
  if (packets !== delays.length) throw new Error(`ffmpeg wrote ${packets} frames of ${delays.length}`)
  await output.finalize()
  if (target.buffer === null) throw new Error('The video could not be put together')
  const bytes = Buffer.from(target.buffer)
  if (container === 'mp4') clearMp4Times(bytes)
  await writeFile(path, bytes)
}
