import { writeFile } from 'node:fs/promises'
import {
  BufferSource,
  BufferTarget,
  type EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputVideoTrack,
  MATROSKA,
  Mp4OutputFormat,
  Output,
  type VideoCodec,
} from 'mediabunny'
import { clearMp4Times } from '../../containers/mp4.ts'
import { startTimes, sumOf } from '../frames/timing.ts'
import { CLOCK_FPS } from './video-settings.ts'
import { writeWebm } from './write-webm.ts'

export interface Stamping {
  /** ffmpeg's output: one packet a frame, by the encoders' clock. */
  readonly matroska: Buffer
  readonly container: 'mp4' | 'webm'
  /** ms that each frame is shown */
  readonly delays: readonly number[]
  readonly path: string
}

/** A track whose packets have their frames' true times. */
interface Stamped {
  readonly track: InputVideoTrack
  readonly codec: VideoCodec
  /** In the order of decoding. */
  readonly packets: readonly EncodedPacket[]
  readonly delays: readonly number[]
}

/** Throws when packets and frames do not match. */
const stampPackets = async (track: InputVideoTrack, delays: readonly number[]): Promise<readonly EncodedPacket[]> => {
  const starts = startTimes(delays)
  const packets: EncodedPacket[] = []
  for await (const packet of new EncodedPacketSink(track).packets()) {
    const frame = Math.round(packet.timestamp * CLOCK_FPS)
    const start = starts[frame]
    const delay = delays[frame]
    if (start === undefined || delay === undefined) throw new Error(`ffmpeg wrote a frame ${frame} of ${delays.length}`)
    packets.push(packet.clone({ timestamp: start / 1000, duration: delay / 1000 }))
  }
  if (packets.length !== delays.length) throw new Error(`ffmpeg wrote ${packets.length} frames of ${delays.length}`)
  return packets
}

const writeMp4 = async ({ track, codec, packets }: Stamped): Promise<Buffer> => {
  const decoderConfig = await track.getDecoderConfig()
  if (decoderConfig === null) throw new Error('ffmpeg wrote no video')
  const target = new BufferTarget()
  // The index first, so that playing begins before all is there.
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  const source = new EncodedVideoPacketSource(codec)
  output.addVideoTrack(source)
  await output.start()
  for (const packet of packets) await source.add(packet, { decoderConfig })
  await output.finalize()
  if (target.buffer === null) throw new Error('The video could not be put together')
  const bytes = Buffer.from(target.buffer)
  clearMp4Times(bytes)
  return bytes
}

/** VP9 stores frames in the order of showing: hidden ones share a packet with a shown one. */
const webmOf = ({ track, packets, delays }: Stamped): Buffer =>
  writeWebm({
    size: { width: track.codedWidth, height: track.codedHeight },
    packets: packets.map(({ data, type, timestamp }) => ({ data, isKey: type === 'key', start: timestamp * 1000 })),
    durationMs: sumOf(delays),
  })

/** Puts every packet at its frame's true time and writes the file. Throws when packets and frames do not match. */
export const stampVideo = async ({ matroska, container, delays, path }: Stamping): Promise<void> => {
  using input = new Input({ source: new BufferSource(matroska), formats: [MATROSKA] })
  const track = await input.getPrimaryVideoTrack()
  if (track === null || track.codec === null) throw new Error('ffmpeg wrote no video')
  const stamped: Stamped = { track, codec: track.codec, packets: await stampPackets(track, delays), delays }
  await writeFile(path, container === 'mp4' ? await writeMp4(stamped) : webmOf(stamped))
}
