import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start()
})
afterAll(() => service[Symbol.asyncDispose]())

const crop = async (options: string, name: string) => {
  const answer = await service.post(`anna/${options}/${service.file(name)}`)
  const body = Buffer.from(await answer.arrayBuffer())
  expect([answer.status, answer.status === 200 ? '' : body.toString()]).toEqual([200, ''])
  return { body, focus: answer.headers.get('x-focus'), exposed: answer.headers.get('access-control-expose-headers') }
}

const PORTRAIT = 'jpeg/pillow__hopper_orientation_5.jpg'

describe('crop=auto tells where it looked (§5)', () => {
  it('as a focal point that gives the same crop', async () => {
    const auto = await crop('64x24,crop=auto,format=png,quality=lossless', PORTRAIT)
    expect(auto.focus).toMatch(/^(0(\.\d{1,2})?|1)x(0(\.\d{1,2})?|1)$/)
    expect(auto.exposed).toContain('X-Focus')
    const again = await crop(`64x24,crop=${auto.focus},format=png,quality=lossless`, PORTRAIT)
    expect(again.focus).toBeNull()
    const [a, b] = await Promise.all([auto, again].map(({ body }) => sharp(body).raw().toBuffer()))
    const apart = a!.reduce((sum, sample, at) => sum + Math.abs(sample - b![at]!), 0) / a!.length
    // To 1/100 of the side: at most half a pixel of this output away.
    expect(apart).toBeLessThan(8)
  })

  it('which is the same at every size and density', async () => {
    const told = await Promise.all(
      ['32x12', '64x24', '96x36', '32x12,2x'].map((size) => crop(`${size},crop=auto`, PORTRAIT)),
    )
    expect(new Set(told.map(({ focus }) => focus)).size).toBe(1)
  })

  it('and the same however the file is turned', async () => {
    const turned = ['5', '6', '7', '8'].map((n) =>
      crop('64x24,crop=auto', `pixels/pillow__hopper_orientation_${n}.jpg`),
    )
    const told = (await Promise.all(turned)).map(({ focus }) => focus!.split('x').map(Number))
    for (const [x, y] of told)
      expect([Math.abs(x! - told[0]![0]!) <= 0.02, Math.abs(y! - told[0]![1]!) <= 0.02]).toEqual([true, true])
  })

  it.each([
    ['of an animation', 'motion/sharp__rotating-squares.gif', '40x20,crop=auto'],
    ['of a drawing', 'svg/thumbor__Commons-logo.svg', '60x60,crop=auto'],
    ['of CMYK', 'jpeg/thumbor__cmyk.jpg', '60x20,crop=auto'],
    ['in the whole of a trimmed image', PORTRAIT, '64x24,crop=auto,trim=border'],
  ])('%s', async (_, name, options) => {
    const { focus } = await crop(options, name)
    expect(focus).toMatch(/^[01](\.\d+)?x[01](\.\d+)?$/)
  })

  it('and nothing of it when something else was asked for', async () => {
    expect((await crop('64x24,crop', PORTRAIT)).focus).toBeNull()
  })
})
