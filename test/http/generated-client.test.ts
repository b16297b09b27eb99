import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Case, FIXTURES, PAST_ONE_MACHINE, start } from './start.ts'

const PHOTO = 'jpeg/kodim23-190x158.png'

/** The generated function of an operation. All operations share these types. */
type Operation = (request: {
  readonly path?: Record<string, string>
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly parseAs?: string
}) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>

let service: Case
let directory: string
let sdk: Readonly<Record<string, Operation>>

beforeAll(async () => {
  service = await start()
  directory = await mkdtemp(join(import.meta.dirname, '.generated-'))
  const description = join(directory, 'openapi.json')
  await writeFile(description, await (await fetch(`${service.url}/-/openapi.json`)).text())
  await createClient({
    input: description,
    output: { path: join(directory, 'client'), module: { extension: '.ts' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
    logs: { level: 'silent' },
  })
  sdk = (await import(/* @vite-ignore */ pathToFileURL(join(directory, 'client/sdk.gen.ts')).href)) as typeof sdk
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const path = (options: string) => ({ username: 'anna', options, image_url: service.file(PHOTO) })

describe('a client that a generator made of the description (§9.2)', () => {
  it('the client has every operation with types', async () => {
    const types = await readFile(join(directory, 'client/types.gen.ts'), 'utf8')
    expect(types).toContain('thumbHash: string')
    expect(types).toContain('export type DeliverImageData')
    const names = ['optimiseAddress', 'optimiseUpload', 'deliverImage', 'purgeSource', 'getResult', 'describeAddress']
    expect(names.filter((name) => typeof sdk[name] !== 'function')).toEqual([])
  })

  it('optimises an image by its address and as an upload', async () => {
    const byAddress = await sdk['optimiseAddress']!({ path: path('15,2x,crop=auto'), parseAs: 'blob' })
    expect(byAddress.response.status).toBe(200)
    const bytes = Buffer.from(await (byAddress.data as Blob).arrayBuffer())
    expect((await sharp(bytes).metadata()).width).toBe(30)
    const file = new Blob([new Uint8Array(await readFile(join(FIXTURES, PHOTO)))])
    const uploaded = await sdk['optimiseUpload']!({
      path: { username: 'anna', options: '20,format=jpeg' },
      body: { file },
      parseAs: 'blob',
    })
    expect(uploaded.response.headers.get('content-type')).toBe('image/jpeg')
  })

  it('requests the description of an image', async () => {
    const { data } = await sdk['describeAddress']!({ path: { username: 'anna', image_url: service.file(PHOTO) } })
    expect(data).toMatchObject({ width: 190, height: 158, format: 'png' })
  })

  it('errors have the described form', async () => {
    const refused = await sdk['optimiseAddress']!({
      path: { ...path('wibble') },
      headers: { Accept: 'application/im2+json' },
      parseAs: 'json',
    })
    expect(refused.response.status).toBe(400)
    expect(refused.error).toMatchObject({ status: 400, error: expect.stringContaining('wibble') })
  })

  it('the client has health, metrics and the description itself', async () => {
    for (const name of ['isLive', 'isReady', 'getDescription']) expect((await sdk[name]!({})).response.status).toBe(200)
    // The proxy does not expose them.
    expect((await sdk['getMetrics']!({})).response.status).toBe(PAST_ONE_MACHINE === undefined ? 200 : 404)
  })
})
