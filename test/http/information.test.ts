import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA } from 'thumbhash'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INFORMATION_FIELDS, type Information } from '../../src/core/information.ts'
import { makeSigningKey, readSigningKey } from '../../src/core/signing-key.ts'
import { signAddress } from '../../src/service/deliver/delivery-right.ts'
import { type Case, FIXTURES, start } from './start.ts'

const PHOTO = 'jpeg/kodim23-190x158.png'
const KEY = makeSigningKey()

let service: Case
beforeAll(async () => {
  service = await start({ accounts: { shop: { signingKey: KEY }, small: { quota: 1 } } })
})
afterAll(() => service[Symbol.asyncDispose]())

const told = async (answer: Response): Promise<Information> => {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
  return (await answer.json()) as Information
}
const send = async (body: Uint8Array): Promise<Information> =>
  told(await service.post('anna/info', { body: new Uint8Array(body), headers: { 'content-type': 'image/png' } }))

describe('the description of an image (§9.1)', () => {
  it('describes a photograph by its address', async () => {
    const bytes = await readFile(join(FIXTURES, PHOTO))
    const information = await told(await service.post(`anna/info/${service.file(PHOTO)}`))
    expect(information).toMatchObject({
      format: 'png',
      width: 190,
      height: 158,
      bytes: bytes.length,
      orientation: 1,
      colourSpace: 'sRGB',
      bitDepth: 8,
      alpha: false,
      frames: 1,
      gainMap: false,
      faces: [],
      estimate: { format: 'jpeg' },
    })
    const fields = Object.keys(INFORMATION_FIELDS)
    expect(Object.keys(information).filter((name) => !fields.includes(name))).toEqual([])
    const hash = Buffer.from(information.thumbHash, 'base64')
    expect(thumbHashToApproximateAspectRatio(hash)).toBeCloseTo(190 / 158, 0)
    const mean = (await sharp(bytes).stats()).channels.map((channel) => channel.mean / 255)
    const { r, g, b, a } = thumbHashToAverageRGBA(hash)
    for (const [at, value] of [r, g, b].entries()) expect(Math.abs(value - mean[at]!)).toBeLessThan(0.08)
    expect(a).toBe(1)
    const [head = '', body = ''] = information.preview.split(',')
    expect([head, information.preview.length < 300]).toEqual(['data:image/webp;base64', true])
    expect(await sharp(Buffer.from(body, 'base64')).metadata()).toMatchObject({ format: 'webp', width: 16, height: 13 })
  })

  it('the estimate is near the bytes of medium, and never far below them', async () => {
    const { estimate } = await told(await service.post(`anna/info/${service.file(PHOTO)}`))
    const made = await service.post(`anna/full/${service.file(PHOTO)}`)
    const { byteLength } = await made.arrayBuffer()
    expect(estimate!.bytes / byteLength).toBeGreaterThan(0.9)
    expect(estimate!.bytes / byteLength).toBeLessThan(1.6)
  })

  it('describes a rotated JPEG by its shown size and its quality', async () => {
    const jpeg = await sharp(join(FIXTURES, PHOTO)).withMetadata({ orientation: 6 }).jpeg({ quality: 60 }).toBuffer()
    expect(await send(jpeg)).toMatchObject({ format: 'jpeg', width: 158, height: 190, orientation: 6, jpegQuality: 60 })
  })

  it('reports the colour space of CMYK and grey images, and transparency', async () => {
    const image = sharp(join(FIXTURES, PHOTO))
    const cmyk = await image.clone().toColourspace('cmyk').jpeg().toBuffer()
    const grey = await image.clone().toColourspace('b-w').png().toBuffer()
    const clear = await image.clone().ensureAlpha(0.5).png().toBuffer()
    const opaque = await image.clone().ensureAlpha(1).png().toBuffer()
    expect((await send(cmyk)).colourSpace).toMatch(/CMYK|SWOP|FOGRA/i)
    expect((await send(grey)).colourSpace).toBe('grey')
    expect([(await send(clear)).alpha, (await send(opaque)).alpha]).toEqual([true, false])
  })

  it('reports the colour of a uniform image, and the drawn size of an SVG', async () => {
    const red = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#c8102e' } })
      .png()
      .toBuffer()
    expect(await send(red)).toMatchObject({ dominantColour: '#c8102e', width: 40, height: 20 })
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"><rect width="30" height="10" fill="#0a0"/></svg>'
    expect(await send(Buffer.from(svg))).toMatchObject({
      format: 'svg',
      width: 30,
      height: 10,
      dominantColour: '#00aa00',
    })
  })

  it('reports frames and duration of an animation, and no estimate', async () => {
    const frame = (background: string) =>
      sharp({ create: { width: 16, height: 16, channels: 3, background } })
        .png()
        .toBuffer()
    const frames = await Promise.all(['#f00', '#0f0', '#00f'].map(frame))
    const gif = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 200, 300] })
      .toBuffer()
    const information = await send(gif)
    expect(information).toMatchObject({ format: 'gif', frames: 3, durationMs: 600 })
    expect(information).not.toHaveProperty('estimate')
  })

  it('refuses files that are no image or too large, like other requests', async () => {
    const post = (body: Uint8Array, username = 'anna') =>
      service.post(`${username}/info`, { body: new Uint8Array(body), headers: { 'content-type': 'image/png' } })
    expect((await post(Buffer.from('this is text'))).status).toBe(415)
    const photo = await readFile(join(FIXTURES, PHOTO))
    expect((await post(photo.subarray(0, 40))).status).toBe(422)
    expect((await post(photo, 'nobody')).status).toBe(403)
    expect((await service.post('anna/info,700', { body: new Uint8Array(photo) })).status).toBe(400)
  })
})

describe('charges and permission (§9.1)', () => {
  it('a POST is charged like an image, and refused when the quota is used up', async () => {
    const target = `small/info/${service.file(PHOTO)}`
    expect((await service.post(`small/info/${service.origin.url('/status/404')}`)).status).toBe(404)
    const first = await service.post(target)
    expect([first.status, first.headers.get('x-quota-remaining')]).toEqual([200, '0'])
    expect((await service.post(target)).status).toBe(402)
  })

  it('GET needs the right of live delivery, and its response is stored', async () => {
    const imageUrl = service.file(`${PHOTO}?get`)
    const get = (list: string, init?: RequestInit) => fetch(`${service.url}/shop/${list}/${imageUrl}`, init)
    const refused = await fetch(`${service.url}/anna/info/${imageUrl}`)
    expect(refused.status).toBe(403)
    expect((await get('info')).status).toBe(403)
    const sig = signAddress(readSigningKey(KEY)!, { username: 'shop', list: 'info', imageUrl })
    expect((await get(`700,sig=${sig}`)).status).toBe(403)
    const before = service.origin.requests.length
    const answer = await get(`info,sig=${sig}`)
    expect((await told(answer)).width).toBe(190)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000')
    const etag = answer.headers.get('etag')!
    expect((await get(`info,sig=${sig}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(await (await get(`info,sig=${sig}`, { method: 'HEAD' })).text()).toBe('')
    expect(service.origin.requests.length).toBe(before + 1)
  })
})
