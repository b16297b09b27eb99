import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FileSource } from './fetch-files.ts'
import { readPages } from './read-pages.ts'

it('reads an imported style sheet of more images than a function takes arguments', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-read-pages-'))
  const files: Readonly<Record<string, string>> = {
    'http://a/': '<link rel=stylesheet href=a.css>',
    'http://a/a.css': '@import "b.css";',
    'http://a/b.css': `a{${Array.from({ length: 130_000 }, (_, i) => `b:url(${i})`).join(';')}}`,
  }
  const source: FileSource = {
    allows: async () => true,
    fetch: async (url) => {
      const path = join(directory, 'file')
      await writeFile(path, files[url] ?? '')
      return { path, bytes: 0, finalUrl: url, [Symbol.asyncDispose]: async () => undefined }
    },
  }
  try {
    const { images } = await readPages(source, ['http://a/'], { maxPages: 1, signal: new AbortController().signal })
    expect(images.size).toBe(130_000)
  } finally {
    await rm(directory, { recursive: true })
  }
})
