import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start()
})
afterAll(() => service[Symbol.asyncDispose]())

const crop = (options: string, name: string) => read(service.post(`anna/${options}/${service.file(name)}`))

const upload = (options: string, file: Buffer) => {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(file)]), 'photograph.png')
  return read(service.post(`anna/${options}`, { body }))
}

const read = async (answering: Promise<Response>) => {
  const answer = await answering
  const body = Buffer.from(await answer.arrayBuffer())
  expect([answer.status, answer.status === 200 ? '' : body.toString()]).toEqual([200, ''])
  return { body, focus: answer.headers.get('x-focus'), exposed: answer.headers.get('access-control-expose-headers') }
}

/** A lossless copy with rotated pixels that its orientation tag makes upright again. */
const storedAs = async (orientation: number, bytes: Buffer): Promise<Buffer> => {
  const upright = sharp(bytes).resize(200, 208, { fit: 'fill' })
  const pixels = await upright.png().toBuffer()
  const [turn, mirrored] = TURNED[orientation]!
  const turned = sharp(await sharp(pixels).rotate(turn).png().toBuffer())
  return (mirrored ? turned.flop() : turned).withMetadata({ orientation }).png().toBuffer()
}

/** Degrees clockwise, and whether mirrored, that undo each orientation. */
const TURNED: Readonly<Record<number, readonly [number, boolean]>> = {
  1: [0, false],
  2: [0, true],
  3: [180, false],
  4: [180, true],
  5: [90, true],
  6: [270, false],
  7: [270, true],
  8: [90, false],
}

const plain = (width: number, height: number, background: string): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer()

const PORTRAIT = 'jpeg/pillow__hopper_orientation_5.jpg'

describe('crop=auto reports its focal point (§5)', () => {
  it('X-Focus is a focal point that gives the same crop', async () => {
    const auto = await crop('64x24,crop=auto,format=png,quality=lossless', PORTRAIT)
    expect(auto.focus).toMatch(/^(0(\.\d{1,3})?|1)x(0(\.\d{1,3})?|1)$/)
    expect(auto.exposed).toContain('X-Focus')
    const again = await crop(`64x24,crop=${auto.focus},format=png,quality=lossless`, PORTRAIT)
    expect(again.focus).toBeNull()
    const [a, b] = await Promise.all([auto, again].map(({ body }) => sharp(body).raw().toBuffer()))
    const apart = a!.reduce((sum, sample, at) => sum + Math.abs(sample - b![at]!), 0) / a!.length
    // The same window. crop=auto decodes the whole source, so samples differ slightly; one px further the difference is 16.
    expect(apart).toBeLessThan(3)
  })

  it('X-Focus is the same at every size and density', async () => {
    const told = await Promise.all(
      ['32x12', '64x24', '96x36', '32x12,2x'].map((size) => crop(`${size},crop=auto`, PORTRAIT)),
    )
    expect(new Set(told.map(({ focus }) => focus)).size).toBe(1)
  })

  it('X-Focus is the same for every orientation and density', async () => {
    const bytes = await readFile(join(FIXTURES, 'jpeg/testdata__flower_small.q85_420_non_interleaved.jpg'))
    const told: (string | null)[] = []
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const density = orientation % 3 === 0 ? ',2x' : ''
      const options = `30x50,crop=auto,quality=low,format=jpeg${density}`
      told.push((await upload(options, await storedAs(orientation, bytes))).focus)
    }
    expect(told[0]).toMatch(/^0\.\d+x0\.\d+$/)
    expect(told).toEqual(Array.from({ length: 8 }, () => told[0]))
  })

  it.each([
    ['an animation', 'motion/sharp__rotating-squares.gif', '40x20,crop=auto'],
    ['a drawing', 'svg/thumbor__Commons-logo.svg', '60x60,crop=auto'],
    ['a CMYK image', 'jpeg/thumbor__cmyk.jpg', '60x20,crop=auto'],
    ['a trimmed image, within the whole of it', PORTRAIT, '64x24,crop=auto,trim=border'],
  ])('X-Focus has the point of %s', async (_, name, options) => {
    const { focus } = await crop(options, name)
    expect(focus).toMatch(/^[01](\.\d+)?x[01](\.\d+)?$/)
  })

  it('X-Focus of a grey photograph is near that of the coloured one', async () => {
    const bytes = await readFile(join(FIXTURES, PORTRAIT))
    const grey = await sharp(bytes).autoOrient().greyscale().toColourspace('b-w').jpeg({ quality: 95 }).toBuffer()
    expect((await sharp(grey).metadata()).channels).toBe(1)
    const [inColour, inGrey] = [await crop('64x24,crop=auto', PORTRAIT), await upload('64x24,crop=auto', grey)]
    const [y, again] = [inColour, inGrey].map(({ focus }) => Number(focus!.split('x')[1]))
    expect(Math.abs(y! - again!)).toBeLessThan(0.1)
  })

  it.each<[string, () => Promise<Buffer>]>([
    ['blank', () => plain(300, 200, '#888')],
    ['transparent', () => plain(300, 200, '#0000')],
    ['1 px wide', () => plain(1, 300, '#246')],
    ['10000 x 20 px', () => plain(10_000, 20, '#246')],
  ])('X-Focus of a %s image is the middle', async (_, make) => {
    expect((await upload('40x10,crop=auto', await make())).focus).toBe('0.5x0.5')
  })

  it('X-Focus of noise is some point', async () => {
    const create = { width: 300, height: 200, channels: 3, background: '#000' } as const
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    const file = await sharp({ create: { ...create, noise } })
      .png()
      .toBuffer()
    expect((await upload('40x10,crop=auto', file)).focus).toMatch(/^[01](\.\d+)?x[01](\.\d+)?$/)
  })

  it('X-Focus is absent without crop=auto', async () => {
    expect((await crop('64x24,crop', PORTRAIT)).focus).toBeNull()
  })
})
