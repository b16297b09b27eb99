import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isImageHeader } from '../../packages/client/src/build/image-header.ts'
import { NotAnImage, readImage } from '../../packages/client/src/build/read-image.ts'
import { servingRule } from '../../packages/client/src/vite/serving.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')
const IMAGE = /\.(?:jpe?g|png|gif|webp|avif|heic|svg|tiff?|bmp|ico|psd|jxl)$/
const images = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) => IMAGE.test(name))

describe('isImageHeader', () => {
  it('recognises every format that the service reads', () => {
    expect(images.length).toBeGreaterThan(30)
    const formats = new Set(images.map((name) => name.slice(name.lastIndexOf('.'))))
    expect([...formats]).toEqual(expect.arrayContaining(['.jpg', '.png', '.gif', '.svg']))
    const unknown = images.filter((name) => !isImageHeader(readFileSync(join(FIXTURES, name)).subarray(0, 16_384)))
    expect(unknown).toEqual([])
  })

  it.each([
    ['a password file', 'root:x:0:0:root:/root:/bin/sh\n'],
    ['a page that shows a drawing', '<!doctype html><html><svg width="1"></svg></html>'],
    ['a script that holds a tag', 'const a = "<svg "'],
    ['a key', '-----BEGIN PRIVATE KEY-----'],
    ['an empty file', ''],
    ['text that begins as a bitmap does', 'BMW drives fast'],
  ])('refuses %s', (_name, text) => expect(isImageHeader(Buffer.from(text))).toBe(false))
})

describe('readImage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-header-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('returns all bytes of an image', async () => {
    const path = join(FIXTURES, images.find((name) => name.endsWith('.png'))!)
    expect(Buffer.from(await readImage(path)).equals(readFileSync(path))).toBe(true)
  })

  it('refuses a file that is not an image, whatever its name', async () => {
    const path = join(folder, 'secret.png')
    writeFileSync(path, 'KEY=1')
    await expect(readImage(path)).rejects.toThrow(NotAnImage)
  })
})

describe('servingRule', () => {
  const logger = { info: () => undefined, warn: () => undefined }

  it('allows every file in a build', async () => {
    const mayServe = await servingRule({ command: 'build', root: '/a', base: '/', logger })
    expect(mayServe('/etc/passwd')).toBe(true)
  })

  it('applies the rule of Vite to a development server', async () => {
    const name = 'vite'
    const { resolveConfig } = (await import(name)) as {
      resolveConfig: (inline: object, command: string) => Promise<Parameters<typeof servingRule>[0]>
    }
    const config = await resolveConfig(
      { root: FIXTURES, configFile: false, logLevel: 'silent', server: { fs: { allow: ['.'] } } },
      'serve',
    )
    const mayServe = await servingRule(config)
    expect([mayServe(join(FIXTURES, 'a.png')), mayServe('/etc/passwd')]).toEqual([true, false])
    expect(mayServe(join(FIXTURES, '.env'))).toBe(false)
  })
})
