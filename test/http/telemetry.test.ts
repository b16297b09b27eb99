import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { FIXTURES, start } from './start.ts'

const PHOTO = 'jpeg/kodim23-190x158.png'

it('the metrics count received and sent bytes of bodies only', async () => {
  await using service = await start({ env: { WORKERS: '1' } })
  const picture = await readFile(join(FIXTURES, PHOTO))
  const headers = { 'content-type': 'image/png' }
  const answer = await service.post('anna/30', { body: new Uint8Array(picture), headers })
  const body = await answer.arrayBuffer()
  const refused = await service.post('nobody/30', { body: new Uint8Array(picture), headers })
  const refusal = await refused.arrayBuffer()
  await expect.poll(() => service.metric('whittle_received_bytes_total')).toBe(2 * picture.length)
  const before = await service.metric('whittle_sent_bytes_total')
  expect(before).toBeGreaterThanOrEqual(body.byteLength + refusal.byteLength)
  await fetch(`${service.url}/-/live`, { method: 'HEAD' })
  const page = await (await fetch(`${service.url}/-/live`)).text()
  const metrics = await (await fetch(`${service.url}/-/metrics`)).text()
  // Between two readings. `before` does not count its own page, nor responses without a body.
  const since = Number(/^whittle_sent_bytes_total (\d+)$/m.exec(metrics)?.[1]) - before
  const reading = since - page.length
  expect(reading).toBeGreaterThan(metrics.length * 0.9)
  expect(reading).toBeLessThan(metrics.length * 1.1)
})

it('the metrics count failures by name', async () => {
  await using service = await start({ env: { WORKERS: '1' } })
  await (await service.post('nobody/30', { body: new Uint8Array(1), headers: { 'content-type': 'image/png' } })).text()
  await expect.poll(() => service.metric('whittle_failures_total', 'failure="USERNAME_UNKNOWN"')).toBe(1)
})

it('METRICS_PORT serves metrics and health only', async () => {
  const lines: string[] = []
  await using service = await start({ env: { METRICS_PORT: '0' }, logTo: (line) => lines.push(line), alone: true })
  const listening = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'listening')
  const apart = (path: string, init?: RequestInit) => fetch(new URL(path, listening.metricsAddress), init)
  expect((await fetch(`${service.url}/-/metrics`)).status).toBe(404)
  expect((await fetch(`${service.url}/-/ready`)).status).toBe(200)
  const metrics = await apart('/-/metrics')
  expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining('whittle_requests_total')])
  for (const path of ['/-/live', '/-/ready']) expect(await (await apart(path)).text()).toBe('ok\n')
  const refused = ['/', '/-/openapi.json', `/anna/full/${service.file(PHOTO)}`].map((path) => apart(path))
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([404, 404, 404])
  expect((await apart('/-/metrics', { method: 'POST' })).status).toBe(404)
  await service.stop()
  await expect(apart('/-/live')).rejects.toThrow()
})

it('the log has account, result and both metrics of each image', async () => {
  const lines: string[] = []
  await using service = await start({ env: { WORKERS: '1', METRICS_ACCOUNTS: '5' }, logTo: (line) => lines.push(line) })
  const target = `anna/30,format=jpeg/${service.file(PHOTO)}`
  const headers = { 'user-agent': 'shop-crawler/2.0' }
  const first = await service.post(target, { headers })
  const body = await first.arrayBuffer()
  await (await service.post(target, { headers })).arrayBuffer()
  await (await service.post(`anna/30/${service.origin.url('/status/500')}`)).arrayBuffer()
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

it('a result too wide for its format is scaled down, with a Warning', async () => {
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
