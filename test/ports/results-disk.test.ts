import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDiskResults } from '../../src/adapters/results/disk.ts'
import { makeDirectory } from './directory.ts'
import { describeResults } from './results-contract.ts'

describeResults(
  'disk',
  async () => {
    const directory = await makeDirectory()
    return {
      open: (settings) => openDiskResults({ directory, ...settings }),
      discard: () => rm(directory, { recursive: true }),
    }
  },
  { bounded: true },
)

const HOUR = 3_600_000
const filesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe('results in a directory', () => {
  let directory: string
  let scratch: string
  beforeEach(async () => {
    directory = await makeDirectory()
    scratch = await makeDirectory()
  })
  afterEach(() => Promise.all([directory, scratch].map((path) => rm(path, { recursive: true }))))

  const open = () => openDiskResults({ directory, maxBytes: 1e9, maxAgeMs: HOUR })
  const key = 'ab'.repeat(16)
  const store = async () => {
    const results = await open()
    await writeFile(join(scratch, 'body'), 'body')
    const meta = { contentType: 'image/png', bytes: 4, etag: '"4"', headers: {}, createdAt: Date.now() }
    await results.put(key, join(scratch, 'body'), meta)
    return results
  }

  test('small results count with their disk blocks, also after a restart', async () => {
    const openSmall = () => openDiskResults({ directory, maxBytes: 40_960, maxAgeMs: HOUR })
    const meta = { contentType: 'image/png', bytes: 4, etag: '"4"', headers: {}, createdAt: 0, promised: false }
    const used = async () => {
      const sizes = await Promise.all((await filesIn(directory)).map(async (path) => (await stat(path)).blocks * 512))
      return sizes.reduce((sum, size) => sum + size, 0)
    }
    let results = await openSmall()
    for (let n = 16; n < 48; n += 1) {
      if (n === 32) {
        await results.close()
        results = await openSmall()
      }
      await results.put(n.toString(16).repeat(16), Buffer.from('body'), { ...meta, createdAt: Date.now() })
    }
    expect(await used()).toBeLessThanOrEqual(40_960)
    await results.close()
  })

  test('a process that is killed while storing leaves only complete results', async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'put-until-killed.ts'), directory, scratch])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const results = await open()
    const keys = (await filesIn(directory)).map((path) => path.split('/').at(-1)!).filter((name) => name.length === 64)
    expect(keys.length).toBeGreaterThan(5)
    for (const one of keys) {
      const stored = await results.get(one)
      expect((await buffer(await stored!.open())).equals(Buffer.alloc(300_000, 7))).toBe(true)
    }
    await results.close()
  })

  test('partial files of a killed process are removed once they are old', async () => {
    await mkdir(join(directory, 'tmp'), { recursive: true })
    const [old, fresh] = [join(directory, 'tmp', 'old.part'), join(directory, 'tmp', 'fresh.part')] as const
    for (const path of [old, fresh]) await writeFile(path, 'half')
    await utimes(old, new Date(Date.now() - HOUR), new Date(Date.now() - HOUR))
    await (await open()).close()
    expect(await filesIn(directory)).toEqual([fresh])
  })

  test.each([
    ['cut short', (path: string) => truncate(path, 60)],
    ['emptied', (path: string) => truncate(path, 0)],
    ['lacking its last byte', async (path: string) => truncate(path, (await stat(path)).size - 1)],
    ['overwritten with something else', (path: string) => writeFile(path, 'x'.repeat(500))],
    ['announcing a huge meta', (path: string) => writeFile(path, `whittle-result-1\nffffffff\n${'x'.repeat(500)}`)],
    ['holding broken meta', (path: string) => writeFile(path, 'whittle-result-1\n00000002\n{}')],
  ])('a file %s is no result, and is removed', async (_, damage) => {
    const results = await store()
    const [path] = (await filesIn(directory)) as [string]
    await damage(path)
    expect(await results.get(key)).toBeUndefined()
    expect(await filesIn(directory)).toEqual([])
    await results.close()
  })

  test('a file under the name of another key is no result', async () => {
    const results = await store()
    const other = `ab${'cd'.repeat(15)}`
    const [path] = (await filesIn(directory)) as [string]
    await copyFile(path, join(directory, 'ab', other))
    expect(await results.get(other)).toBeUndefined()
    expect(await results.get(key)).toBeDefined()
    await results.close()
  })

  test('nothing but the result lies in the directory after a put', async () => {
    const results = await store()
    expect(await filesIn(directory)).toEqual([join(directory, 'ab', key)])
    await results.close()
  })

  test('an unusable directory is reported in one line', async () => {
    await writeFile(join(scratch, 'file'), '')
    const opening = openDiskResults({ directory: join(scratch, 'file', 'results'), maxBytes: 1, maxAgeMs: HOUR })
    await expect(opening).rejects.toThrow(
      /^The directory for results ".+" cannot be used \(.+\)\. Make it readable and writable .+\.$/,
    )
  })

  test('a lifetime below an hour is refused (§5.1)', async () => {
    await expect(openDiskResults({ directory, maxBytes: 1, maxAgeMs: HOUR - 1 })).rejects.toThrow('an hour')
  })
})
