import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { FIXTURES, start } from './start.ts'

const PHOTO = 'jpeg/kodim23-190x158.png'

it('the metrics count bytes of bodies, received and sent, and nothing else', async () => {
  await using service = await start({ env: { WORKERS: '1' } })
  const picture = await readFile(join(FIXTURES, PHOTO))
  const headers = { 'content-type': 'image/png' }
  const answer = await service.post('anna/100', { body: new Uint8Array(picture), headers })
  const body = await answer.arrayBuffer()
  const refused = await service.post('nobody/100', { body: new Uint8Array(picture), headers })
  const refusal = await refused.arrayBuffer()
  await expect.poll(() => service.metric('whittle_received_bytes_total')).toBe(2 * picture.length)
  const before = await service.metric('whittle_sent_bytes_total')
  expect(before).toBeGreaterThanOrEqual(body.byteLength + refusal.byteLength)
  await fetch(`${service.url}/-/live`, { method: 'HEAD' })
  const page = await (await fetch(`${service.url}/-/live`)).text()
  const metrics = await (await fetch(`${service.url}/-/metrics`)).text()
  // Between two readings: `before` counts no page that it stands in, and nothing that has no body.
  const since = Number(/^whittle_sent_bytes_total (\d+)$/m.exec(metrics)?.[1]) - before
  const reading = since - page.length
  expect(reading).toBeGreaterThan(metrics.length * 0.9)
  expect(reading).toBeLessThan(metrics.length * 1.1)
})

it('the log tells of each image who asked for it, what came out, and both metrics', async () => {
  const lines: string[] = []
  await using service = await start({ env: { WORKERS: '1', METRICS_ACCOUNTS: '5' }, logTo: (line) => lines.push(line) })
  const target = `anna/100/${service.file(PHOTO)}`
  const headers = { 'user-agent': 'shop-crawler/2.0' }
  const first = await service.post(target, { headers })
  const body = await first.arrayBuffer()
  await (await service.post(target, { headers })).arrayBuffer()
  await (await service.post(`anna/100/${service.origin.url('/status/500')}`)).arrayBuffer()
  const answered = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered')
  await expect.poll(() => answered().length).toBe(3)
  const [one, two, three] = answered()
  const image = {
    username: 'anna',
    agent: 'shop-crawler/2.0',
    format: 'jpeg',
    sourceBytes: (await readFile(join(FIXTURES, PHOTO))).length,
    bytes: body.byteLength,
    score: Number(first.headers.get('x-score')),
    butteraugli: Number(first.headers.get('x-butteraugli')),
  }
  expect(one).toMatchObject({ ...image, cached: false })
  expect(two).toMatchObject({ ...image, cached: true })
  expect(image.score).toBeGreaterThan(40)
  expect(three).toMatchObject({ status: 502, failure: 'ORIGIN_FAILED' })
  expect(three).not.toHaveProperty('format')
  expect(await service.metric('whittle_result_cache_total', '="hit"')).toBe(1)
  expect(await service.metric('whittle_result_cache_total', '="miss"')).toBe(1)
  expect(await service.metric('whittle_fetch_errors_total', 'ORIGIN_FAILED')).toBe(1)
  expect(await service.metric('whittle_account_images_total', 'anna')).toBe(2)
  expect(await service.metric('whittle_result_score_count')).toBe(1)
  expect(await service.metric('whittle_build_info', '0.0.0-test')).toBe(1)
})

it('a result too wide for the format that was asked for is scaled down, with a Warning', async () => {
  await using service = await start({ env: { WORKERS: '1', MAX_SIDE: '20000' } })
  const wide = await sharp({ create: { width: 17_000, height: 20, channels: 3, background: '#2d3e50' } })
    .png()
    .toBuffer()
  const post = async (options: string, accept = '*/*') => {
    const headers = { 'content-type': 'image/png', accept }
    const answer = await service.post(`anna/${options}`, { body: new Uint8Array(wide), headers })
    const { format, width } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
    return { status: answer.status, warning: answer.headers.get('warning'), format, width }
  }
  const scaledDown = expect.stringContaining('scaled down')
  expect(await post('full,format=webp')).toMatchObject({
    status: 200,
    warning: scaledDown,
    format: 'webp',
    width: 16383,
  })
  expect(await post('full,format=avif')).toMatchObject({ status: 200, warning: scaledDown, width: 16384 })
  expect(await post('full', 'image/webp')).toMatchObject({ status: 200, warning: null, format: 'png', width: 17_000 })
})
