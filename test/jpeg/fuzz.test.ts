import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { transcodeJpeg } from '../../src/jpeg/bitstream/transcode.ts'
import { damage } from '../fuzz/damage.ts'
import { fixture } from './fixtures.ts'
import { survive } from './survive.ts'

const sources = [
  'pillow__hopper_orientation_5.jpg',
  'thumbor__cmyk.jpg',
  'pillow__pil_sample_cmyk.jpg',
  'pillow__iptc_roundUp.jpg',
  'pillow__truncated_jpeg.jpg',
]

describe('the reader', () => {
  for (const name of sources) {
    it(`survives 100 seeded damages of ${name}`, { timeout: 60_000 }, () => {
      const source = fixture(name)
      const outcomes = Array.from({ length: 100 }, (_, seed) => survive(damage(source, seed)))
      expect(outcomes.some((transcoded) => transcoded !== undefined)).toBe(true)
    })
  }

  it('writes what any decoder accepts, whatever it read', { timeout: 60_000 }, async () => {
    const source = fixture('pillow__hopper_orientation_5.jpg')
    for (let seed = 1000; seed < 1060; seed++) {
      const transcoded = survive(damage(source, seed))
      if (!transcoded) continue
      await expect(
        sharp(transcoded.bytes, { failOn: 'warning', unlimited: true }).resize(8, 8).raw().toBuffer(),
      ).resolves.toBeDefined()
    }
  })

  it('refuses an image that is little data and endless scans', () => {
    const size = [0x0f, 0xa0]
    const frame = [0xff, 0xc2, 0, 11, 8, ...size, ...size, 1, 1, 0x11, 0]
    const quantTable = [0xff, 0xdb, 0, 67, 0, ...new Array<number>(64).fill(1)]
    const table = [0xff, 0xc4, 0, 20, 0x10, 1, ...new Array<number>(15).fill(0), 0xe0]
    const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, ...new Array<number>(40).fill(0x55)]
    const bomb = Uint8Array.from([0xff, 0xd8, ...quantTable, ...frame, ...table, ...new Array(2000).fill(scan).flat()])
    expect(() => transcodeJpeg(bomb)).toThrow(expect.objectContaining({ reason: 'too-much-work' }))
  })
})
