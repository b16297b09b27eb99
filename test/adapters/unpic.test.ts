import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeSigningKey } from '../../src/core/signing-key.ts'
import { type Case, start } from '../http/start.ts'

const KEY = makeSigningKey()
const { resolve } = createRequire(import.meta.url)
const load = (name: string) => import(pathToFileURL(resolve(name)).href)

interface Attributes {
  readonly src: string
  readonly srcset: string
}

let service: Case
beforeAll(async () => {
  service = await start({ accounts: { shop: { deliver: ['127.0.0.1:*'] }, 'private-shop': { signingKey: KEY } } })
})
afterAll(() => service[Symbol.asyncDispose]())

const attributesBy = async (transformer: unknown): Promise<Attributes> => {
  const { transformBaseImageProps } = await load('@unpic/core/base')
  const src = service.file('jpeg/kodim23-190x158.png')
  return transformBaseImageProps({ transformer, src, width: 150, height: 120, layout: 'constrained' })
}

it('unpic writes a srcset of addresses that carry both sides and crop', async () => {
  const { whittleTransformer } = await load('@whittle-images/client/unpic')
  const { src, srcset } = await attributesBy(whittleTransformer({ base: service.url, account: 'shop' }))
  expect(src).toContain('/shop/150x120,crop/')
  expect(srcset).toMatch(/\/shop\/300x240,crop\/\S+ 300w/)
})

it('unpic on a server writes signed addresses, and all of them are delivered', async () => {
  const { signedTransformer } = await load('@whittle-images/client/unpic/server')
  const { srcset } = await attributesBy(signedTransformer({ base: service.url, account: 'private-shop', key: KEY }))
  const addresses = srcset.split(',\n').map((candidate) => candidate.trim().split(' ')[0]!)
  const answers = addresses.map(async (url) => (await fetch(url, { headers: { accept: 'image/*' } })).status)
  expect(addresses.length).toBeGreaterThan(1)
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
})
