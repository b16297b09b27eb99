import { copyFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { bytesAtScore, compareAnimation } from '../../bench/leaderboard/animations.ts'
import { pageOf } from '../../bench/leaderboard/page.ts'
import { openSources, readServer, serverPeer } from '../../bench/leaderboard/servers.ts'
import { openMetrics } from '../../src/metric/metrics.ts'

const PIXELS = { width: 8, height: 8, channels: 3, data: new Uint8Array(192).fill(120) } as const

/** Five frames of 100 x 100 px. */
const ANIMATION = 'test/fixtures/motion/pillow__dispose_bgnd.gif'

/** An image server that makes a JPEG of the quality in its query. */
const openImageServer = async (): Promise<AsyncDisposable & { readonly origin: string }> => {
  const server = createServer(async ({ url }, response) => {
    const asked = new URL(url!, 'http://server').searchParams
    const source = await (await fetch(asked.get('url')!)).arrayBuffer()
    const quality = Number(asked.get('quality'))
    response.end(await sharp(Buffer.from(source)).jpeg({ quality }).toBuffer())
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

describe('the leaderboard', () => {
  it('asks an image server for a source at a quality', async () => {
    await using imageServer = await openImageServer()
    await using sources = await openSources()
    const server = readServer(`other=${imageServer.origin}/?url={url}&quality={quality}&format={format}`)
    const file = await serverPeer(server, 'jpeg', sources).encode(PIXELS, 50)
    expect(await sharp(file).metadata()).toMatchObject({ format: 'jpeg', width: 8, height: 8 })
  })

  it('names the image server that answers with an error', async () => {
    await using sources = await openSources()
    const [address] = [sources.publish(new Uint8Array())]
    const server = readServer(`other=${new URL('/none', address).href}?{url}`)
    await expect(serverPeer(server, 'jpeg', sources).encode(PIXELS, 50)).rejects.toThrow('other answers 404')
  })

  it('refuses an image server without a place for the address of the source', () => {
    expect(() => readServer('imgproxy=http://127.0.0.1/')).toThrow('{url}')
    expect(() => readServer('http://127.0.0.1/{url}')).toThrow('NAME=TEMPLATE')
  })

  it('interpolates the bytes of an encoder between the settings around a score', () => {
    const figures = [
      { bytes: 400, ssimulacra: 90 },
      { bytes: 100, ssimulacra: 70 },
    ]
    expect(bytesAtScore(figures, 80)).toBeCloseTo(200)
    expect(bytesAtScore(figures, 95)).toBeNaN()
    expect(bytesAtScore(figures, 60)).toBe(100)
  })

  it('compares an animated GIF with what an encoder makes of it', async () => {
    const copy = {
      name: 'copy',
      settings: [0],
      encode: (from: string, to: string) => copyFile(from, to),
    }
    const row = await compareAnimation(await openMetrics(), ANIMATION, { quality: 'medium', peers: [copy] })
    const { size } = await stat(ANIMATION)
    expect(row.peers[0]).toMatchObject({ name: 'copy', ratio: row.ours.bytes / size, broken: [] })
    expect(row.ours.bytes).toBeLessThanOrEqual(size)
    expect(row.ours.broken).toEqual([])
  })

  it('writes one page that fetches nothing and escapes every text', () => {
    const lines = [
      { peer: '<b>peer</b>', ratio: 0.88 },
      { peer: 'other', cpu: Number.NaN },
    ]
    const contest = { format: 'jpeg', images: 1, broken: 0, bounds: 'none', lines, rows: [] }
    const worst = { picture: new Uint8Array([1, 2]), labels: ['1. a&b.png'] }
    const board = { quality: 'medium', date: '2026-01-01', version: '1.0.0' } as const
    const page = pageOf({ ...board, contests: [{ ...contest, worst }] })
    expect(page).toContain('&lt;b&gt;peer&lt;/b&gt;')
    expect(page).toContain('<td class="n">0.88</td>')
    expect(page).toContain('<td>–</td>')
    expect(page).toContain('<li>a&amp;b.png</li>')
    expect(page).not.toMatch(/(?:src|href)="(?!data:)/)
  })
})
