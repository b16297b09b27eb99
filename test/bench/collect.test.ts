import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Collected, type CorpusImage, collect, parseCorpus } from '../../bench/corpus/collect.ts'
import { scratchDirectory } from '../scratch.ts'

const image = (file: string, text: string, address = `https://images.test/${file}`): CorpusImage => ({
  file,
  bytes: text.length,
  hash: createHash('sha256').update(text).digest('hex'),
  licence: 'MIT',
  address,
})

it('takes images from a folder by their content, fetches the others, and refuses other bytes', async () => {
  const [directory, from] = [await scratchDirectory('corpus'), await scratchDirectory('from')]
  await mkdir(join(from, 'deep'))
  await writeFile(join(from, 'deep', 'another name'), 'one')
  const images = [
    image('a/one.png', 'one'),
    image('a/two.png', 'two'),
    image('b/changed.png', 'as it was'),
    image('b/packed.png', 'packed', 'debian:package=1:/file'),
  ]
  const asked: string[] = []
  const get = (url: string): Promise<Uint8Array> => {
    asked.push(url)
    return Promise.resolve(Buffer.from(url.endsWith('two.png') ? 'two' : 'changed'))
  }
  const run = async (): Promise<Record<string, Collected>> => {
    const done: Record<string, Collected> = {}
    await collect(images, { directory, from, get }, ({ file }, collected) => {
      done[file] = collected
    })
    return done
  }
  const others = { 'b/changed.png': 'missing', 'b/packed.png': 'missing' }
  expect(await run()).toEqual({ 'a/one.png': 'folder', 'a/two.png': 'fetched', ...others })
  expect(await readFile(join(directory, 'a/one.png'), 'utf8')).toBe('one')
  expect(asked).toEqual(['https://images.test/a/two.png', 'https://images.test/b/changed.png'])
  expect(await run()).toEqual({ 'a/one.png': 'there', 'a/two.png': 'there', ...others })
})

it('finds a size, a SHA-256, a licence and an address in each row of the table', async () => {
  const images = parseCorpus(await readFile(join(import.meta.dirname, '../../bench/corpus.tsv'), 'utf8'))
  expect(images.length).toBeGreaterThan(200)
  for (const { file, bytes, hash, address } of images) {
    expect(file).toMatch(/^[a-z-]+\/[^/]+$/)
    expect(bytes).toBeGreaterThan(0)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(address).toMatch(/^(https:\/\/|debian:|github\.com\/|[a-z])/)
  }
  expect(new Set(images.map(({ file }) => file)).size).toBe(images.length)
  expect(() => parseCorpus('header\nfile\t1\n')).toThrow('not a row')
})
