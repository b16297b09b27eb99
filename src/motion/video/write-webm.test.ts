import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny'
import { expect, it } from 'vitest'
import { type WebmPacket, writeWebm } from './write-webm.ts'

const packet = (start: number, isKey = false, bytes = 200): WebmPacket => ({
  // The head of a VP9 frame: a key frame of profile 0, or another one.
  data: Uint8Array.from({ length: bytes }, (_, i) => (i === 0 ? (isKey ? 0x82 : 0x86) : i)),
  isKey,
  start,
})
const STARTS = [0, 40, 33_000, 66_000.4, 66_100]
const PACKETS = STARTS.map((start, i) => packet(start, i === 0 || i === 3))
const VIDEO = { size: { width: 320, height: 242 }, packets: PACKETS, durationMs: 70_000.5 }

it('a reader finds the frames, times, sizes and colours of a WebM again', async () => {
  using input = new Input({ source: new BufferSource(writeWebm(VIDEO)), formats: ALL_FORMATS })
  const track = (await input.getPrimaryVideoTrack())!
  const found: { start: number; isKey: boolean; data: Uint8Array }[] = []
  for await (const { timestamp, type, data } of new EncodedPacketSink(track).packets())
    found.push({ start: Math.round(timestamp * 1000), isKey: type === 'key', data })
  expect(found).toEqual(PACKETS.map(({ start, ...rest }) => ({ ...rest, start: Math.round(start) })))
  expect([track.codec, track.codedWidth, track.codedHeight]).toEqual(['vp9', 320, 242])
  expect(await track.getColorSpace()).toEqual({
    primaries: 'bt709',
    transfer: 'bt709',
    matrix: 'bt709',
    fullRange: false,
  })
  expect(await input.getDurationFromMetadata()).toBe(70.0005)
})

it('the cues of a WebM point at its clusters with key frames', () => {
  const webm = writeWebm(VIDEO)
  const segment = webm.indexOf(Buffer.of(0x18, 0x53, 0x80, 0x67))
  const start = segment + 4 + 2
  const positions = [...webm.toString('latin1').matchAll(/\xf1\x82(..)/gs)].map(([, bytes]) =>
    Buffer.from(bytes!, 'latin1').readUInt16BE(),
  )
  expect(positions.map((position) => webm.readUInt32BE(start + position))).toEqual([0x1f43b675, 0x1f43b675])
})

it('a WebM of 20 frames takes at most 300 bytes more than their data', () => {
  const packets = Array.from({ length: 20 }, (_, i) => packet(i * 40, i === 0, 1000))
  expect(writeWebm({ ...VIDEO, packets }).length).toBeLessThanOrEqual(20 * 1000 + 300)
})
