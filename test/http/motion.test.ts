import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { readVideo, type VideoFacts } from '../motion/read-video.ts'
import { type Case, FIXTURES, start } from './start.ts'

let service: Case
let scratch: string
beforeAll(async () => {
  service = await start({ accounts: { one: { quota: 1 } } })
  scratch = await mkdtemp(join(tmpdir(), 'whittle-http-motion-'))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(scratch, { recursive: true, force: true })
})
// Searches that a timeout interrupted complete in the background first.
afterEach(() => expect.poll(service.leftovers).toEqual([]))

/** 10 frames of 3 s and more, plays 3 times. */
const LOOPS = 'motion/sharp__animated-loop-3.gif'
/** 30 frames of 50 ms, endless. */
const SQUARES = 'motion/sharp__rotating-squares.gif'
/** 859x478: an odd width, which video cannot have. */
const ODD = 'motion/fastimage__animated_without_gct.gif'
/** 14 frames like a photograph. */
const MOON = 'motion/image-gif__moon_impact.gif'
const APNG = 'motion/pillow__delay.png'
const PHOTO = 'jpeg/kodim23-190x158.png'

interface Reply {
  readonly status: number
  readonly type: string | null
  readonly headers: Headers
  readonly body: Buffer
}

const ask = async (options: string, name: string, accept = '*/*', at = service): Promise<Reply> => {
  const answer = await at.post(`anna/${options}/${at.file(name)}`, { headers: { accept } })
  const body = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, type: answer.headers.get('content-type'), headers: answer.headers, body }
}

let files = 0
const save = async ({ body }: Reply): Promise<string> => {
  files += 1
  const path = join(scratch, `result-${files}`)
  await writeFile(path, body)
  return path
}
const videoOf = async (reply: Reply): Promise<VideoFacts> => readVideo(await save(reply))
const animationOf = async (reply: Reply) => openAnimation(await save(reply), { format: 'gif' })

const source = (name: string) => openAnimation(join(FIXTURES, name), { format: 'gif' })

describe.each([
  ['webm', 'video/webm', (body: Buffer) => body.readUInt32BE(0) === 0x1a45dfa3],
  ['h264', 'video/mp4', (body: Buffer) => body.toString('latin1', 4, 8) === 'ftyp'],
] as const)('format=%s (§4.3)', (format, type, isContainer) => {
  it('makes a video of the same frames and duration, and reports the number of plays', async () => {
    const reply = await ask(`full,format=${format}`, LOOPS)
    expect([reply.status, reply.type, isContainer(reply.body)]).toEqual([200, type, true])
    expect(Number(reply.headers.get('content-length'))).toBe(reply.body.length)
    expect(reply.headers.get('x-loop-count')).toBe('3')
    expect(Number(reply.headers.get('x-score'))).toBeGreaterThanOrEqual(70)
    // The animation has thin lines of colour, which the finer chroma of H.264 keeps.
    const colour = format === 'webm' ? /^299 - "Colour of small areas is off by [\d.]+ [^"]*"$/ : /^$/
    expect(reply.headers.get('warning') ?? '').toMatch(colour)
    expect(await videoOf(reply)).toMatchObject({ frames: 10, durationMs: expect.closeTo(42_000, 2) })
    expect(reply.body.length).toBeLessThan((await readFile(join(FIXTURES, LOOPS))).length)
  })

  it.each([
    ['60x30,crop', SQUARES, 60, 30],
    ['60x30,crop=auto', SQUARES, 60, 30],
    ['60x30,pad,bgcolor=abc', LOOPS, 60, 30],
    ['40', SQUARES, 40, 40],
    ['20,2x', SQUARES, 40, 40],
    ['full', ODD, 858, 478],
  ])('%s of %s has the requested size with even sides', async (options, name, width, height) => {
    const reply = await ask(`${options},format=${format}`, name)
    expect(reply.status).toBe(200)
    expect(await videoOf(reply)).toMatchObject({ width, height, frames: (await source(name)).frames })
  })

  it('an APNG becomes a video too', async () => {
    expect(await videoOf(await ask(`full,format=${format}`, APNG))).toMatchObject({ frames: 4, durationMs: 3000 })
  })

  it('high has more bytes than low', async () => {
    const bytes = async (quality: string): Promise<number> =>
      (await ask(`full,format=${format},quality=${quality}`, SQUARES)).body.length
    expect(await bytes('high')).toBeGreaterThan(await bytes('low'))
  })

  it('quality=lossless is read as high, with a Warning', async () => {
    const reply = await ask(`full,format=${format},quality=lossless`, SQUARES)
    expect([reply.status, reply.headers.get('warning')]).toEqual([200, expect.stringMatching(/lossless.*high/)])
  })

  it('a video of a still image is refused with a reason, and not charged', async () => {
    const refused = await service.post(`one/full,format=${format}/${service.file(PHOTO)}`)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('does not move')])
    const page = await ask(`full,format=${format}`, PHOTO, 'image/*,application/im2+json')
    expect([page.status, JSON.parse(page.body.toString())]).toEqual([400, expect.objectContaining({ status: 400 })])
  })
})

describe('an animated GIF', () => {
  it('stays GIF, no larger, with its timing and looping', async () => {
    const reply = await ask('full', LOOPS)
    expect([reply.status, reply.type, reply.headers.get('warning')]).toEqual([200, 'image/gif', null])
    const [before, after] = [await source(LOOPS), await animationOf(reply)]
    expect([after.frames, after.loop, after.delays]).toEqual([before.frames, before.loop, before.delays])
    expect(reply.body.length).toBeLessThan((await readFile(join(FIXTURES, LOOPS))).length)
  })

  it.each([
    ['full,format=webp', '*/*', 'image/webp'],
    ['full', 'image/avif,*/*', 'image/gif'],
    ['full', '*/*', 'image/gif'],
    ['40x40,pad,format=webp', '*/*', 'image/webp'],
  ])('%s with Accept: %s is animated %s', async (options, accept, type) => {
    const reply = await ask(options, LOOPS, accept)
    expect([reply.status, reply.type, reply.headers.get('x-loop-count')]).toEqual([200, type, '3'])
    expect((await animationOf(reply)).delays.reduce((sum, delay) => sum + delay, 0)).toBe(42_000)
  })

  it('becomes animated WebP if Accept names it and it is smaller', async () => {
    const reply = await ask('full', MOON, 'image/webp,*/*')
    expect([reply.status, reply.type, reply.headers.get('vary')]).toEqual([
      200,
      'image/webp',
      expect.stringContaining('Accept'),
    ])
    expect((await animationOf(reply)).delays.reduce((sum, delay) => sum + delay, 0)).toBe(2100)
  })

  it.each(['png', 'jpeg'] as const)('format=%s returns the first frame', async (format) => {
    const reply = await ask(`full,format=${format}`, LOOPS)
    const facts = await sharp(reply.body).metadata()
    expect([reply.type, facts.format, facts.pages ?? 1]).toEqual([`image/${format}`, format, 1])
    const first = await sharp(join(FIXTURES, LOOPS), { page: 0 }).flatten({ background: '#fff' }).stats()
    const made = await sharp(reply.body).flatten({ background: '#fff' }).stats()
    for (const [i, { mean }] of made.channels.slice(0, 3).entries())
      expect(Math.abs(mean - first.channels[i]!.mean)).toBeLessThan(4)
  })
})

describe('animations that are refused (§6)', () => {
  it.each([
    [{ MAX_FRAMES: '9' }, 'full', 413, '10 frames, and at most 9'],
    [{ MAX_FRAMES: '9' }, 'full,format=webm', 413, '10 frames'],
    [{ MAX_FRAMES: '9' }, 'full,format=png', 200, undefined],
    [{ MAX_DURATION: '40s' }, 'full,format=h264', 413, 'plays for 0.7 minutes'],
    [{ MAX_DURATION: '40s' }, 'full', 200, undefined],
    [{ MAX_TOTAL_PIXELS: '1000' }, 'full,format=webm', 413, 'megapixels'],
  ])('an animation with %j %s gets %i', async (env, options, status, text) => {
    await using strict = await start({ env: { WORKERS: '1', ...env } })
    const reply = await ask(options, LOOPS, '*/*', strict)
    expect(reply.status).toBe(status)
    if (text !== undefined) expect(reply.body.toString()).toContain(text)
  })

  it.each([
    'full',
    'full,format=webm',
    'full,format=webp',
    '50x50,crop',
  ])('an animation truncated in its first frame gets 422 for %s, and the next request is answered', async (options) => {
    const whole = await readFile(join(FIXTURES, SQUARES))
    const answer = await service.post(`anna/${options}`, {
      body: whole.subarray(0, 400),
      headers: { 'content-type': 'image/gif' },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([422, 'text/plain; charset=utf-8'])
    expect((await answer.text()).length).toBeGreaterThan(0)
    expect((await ask('20', PHOTO)).status).toBe(200)
  })
})

describe('video for which there is too little time (§5.2)', () => {
  const within = async (seconds: number) => {
    const answer = await service.post(`anna/300,fit,format=webm,timeout=${seconds}/${service.file(SQUARES)}`)
    await answer.arrayBuffer()
    return { status: answer.status, location: answer.headers.get('location'), warning: answer.headers.get('warning') }
  }

  it('redirects to the source when no result exists', async () => {
    const { status, location, warning } = await within(0.001)
    expect([status, location]).toEqual([303, service.file(SQUARES)])
    expect(warning).toContain('timeout=')
  })

  it('returns the best result so far', async () => {
    // Raises the timeout until a first result exists, so that the speed of the machine does not matter.
    let answer = await within(0.16)
    for (let seconds = 0.2; answer.status !== 200 && seconds < 20; seconds *= 1.3) answer = await within(seconds)
    expect([answer.status, answer.location]).toEqual([200, null])
    expect(answer.warning).toContain('timeout=')
  })
})

describe('work that outlasts REDIRECT_AFTER', () => {
  it('long work gets a 303, reports progress, and returns all its headers', async () => {
    await using hasty = await start({ env: { REDIRECT_AFTER: '1ms', WORKERS: '1' } })
    const first = await hasty.post(`anna/full,format=webm/${hasty.file(SQUARES)}`)
    await first.text()
    expect([first.status, first.headers.get('cache-control')]).toEqual([303, 'no-store'])
    expect(await hasty.metric('whittle_jobs_detached')).toBe(1)
    const location = first.headers.get('location') ?? ''
    const answer = await fetch(location)
    const reply = {
      status: answer.status,
      type: answer.headers.get('content-type'),
      headers: answer.headers,
      body: Buffer.from(await answer.arrayBuffer()),
    }
    expect([reply.status, reply.type, reply.headers.get('x-loop-count')]).toEqual([200, 'video/webm', '0'])
    const { frames } = await source(SQUARES)
    expect((await videoOf(reply)).frames).toBe(frames)
    for (const phase of ['encode pass 1', 'encode pass 2'])
      expect(await hasty.metric('whittle_progress_steps_total', `"${phase}"`)).toBeGreaterThanOrEqual(frames)
    expect(await hasty.metric('whittle_progress_steps_total', '"score"')).toBeGreaterThan(0)
    await expect.poll(() => hasty.metric('whittle_jobs_detached')).toBe(0)
    expect(await hasty.metric('whittle_work_steps')).toBe(0)
    const head = await fetch(location, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(reply.body.length)])
  })
})
