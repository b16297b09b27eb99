import { createHash, randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ResultMeta, Results } from '../../src/ports/results.ts'
import { makeDirectory } from './directory.ts'

export interface ResultsUnderTest {
  readonly open: (settings: { maxBytes: number; maxAgeMs: number; now: () => Date }) => Promise<Results>
  readonly discard: () => Promise<void>
}

const HOUR = 3_600_000
const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Tests for every adapter of the results port. `create` makes an empty store, `bounded` one with limited space. */
export const describeResults = (
  name: string,
  create: () => Promise<ResultsUnderTest>,
  { bounded }: { readonly bounded: boolean },
): void => {
  describe(`results: ${name}`, () => {
    let clock = 0
    let store: ResultsUnderTest
    let results: Results
    let scratch: string

    const open = () => store.open({ maxBytes: 100_000, maxAgeMs: 24 * HOUR, now: () => new Date(clock) })
    const metaOf = (body: Uint8Array, more: Partial<ResultMeta> = {}): ResultMeta => ({
      contentType: 'image/png',
      bytes: body.length,
      etag: `"${keyOf(String(body.length))}"`,
      headers: { warning: ['299 - "one"', '299 - "two"'], 'x-score': '81.2' },
      createdAt: clock,
      ...more,
    })
    const put = async (name: string, bytes: number, more: Partial<ResultMeta> = {}): Promise<boolean> => {
      const body = Buffer.alloc(bytes, name)
      const path = join(scratch, `${name}-${randomBytes(4).toString('hex')}`)
      await writeFile(path, body)
      return results.put(keyOf(name), path, metaOf(body, more))
    }
    const read = async (name: string): Promise<string | undefined> => {
      const stored = await results.get(keyOf(name))
      return stored && (await buffer(await stored.open())).toString()
    }
    const kept = async (names: readonly string[]): Promise<string[]> => {
      const found = []
      for (const name of names) if ((await results.get(keyOf(name))) !== undefined) found.push(name)
      return found
    }

    beforeEach(async () => {
      clock = Date.parse('2026-05-30T12:00:00Z')
      scratch = await makeDirectory()
      store = await create()
      results = await open()
    })
    afterEach(async () => {
      await results.close()
      await store.discard()
      await rm(scratch, { recursive: true })
    })

    test('a stored result is returned byte for byte with its metadata', async () => {
      const body = randomBytes(70_000)
      const path = join(scratch, 'body')
      await writeFile(path, body)
      const meta = metaOf(body, { promised: true })
      expect(await results.put(keyOf('a'), path, meta)).toBe(true)
      await rm(path, { force: true })
      const stored = await results.get(keyOf('a'))
      expect(stored?.meta).toEqual(meta)
      expect((await buffer(await stored!.open())).equals(body)).toBe(true)
      expect((await buffer(await stored!.open())).equals(body)).toBe(true)
    })

    test('bytes are stored like a file', async () => {
      const body = randomBytes(70_000)
      expect(await results.put(keyOf('bytes'), body, metaOf(body))).toBe(true)
      const stored = await results.get(keyOf('bytes'))
      expect(stored?.meta).toEqual(metaOf(body))
      expect((await buffer(await stored!.open())).equals(body)).toBe(true)
    })

    test('any part of a body can be read', async () => {
      const body = randomBytes(70_000)
      const path = join(scratch, 'body')
      await writeFile(path, body)
      await results.put(keyOf('parts'), path, metaOf(body, {}))
      const stored = await results.get(keyOf('parts'))
      for (const [first, last] of [
        [0, 0],
        [1, 66_000],
        [69_995, 69_999],
        [0, 69_999],
      ] as const) {
        const part = await buffer(await stored!.open({ first, last }))
        expect(part.equals(body.subarray(first, last + 1))).toBe(true)
      }
    })

    test('an empty body is a body', async () => {
      await put('empty', 0)
      expect(await read('empty')).toBe('')
    })

    test.each([
      [keyOf('never put')],
      ['../../etc/passwd'],
      [''],
      ['tmp'],
      ['ABCDEF0123456789ABCDEF0123456789'],
    ])('there is nothing under %j', async (key) => {
      expect(await results.get(key)).toBeUndefined()
      await results.remove(key)
    })

    test('a key that is no long hex number is refused', async () => {
      const path = join(scratch, 'body')
      await writeFile(path, 'x')
      await expect(results.put('../escape', path, metaOf(Buffer.from('x')))).rejects.toThrow('not a key')
    })

    test('a removed result is gone, but open readers continue', async () => {
      await put('a', 60_000)
      const reading = await (await results.get(keyOf('a')))!.open()
      await results.remove(keyOf('a'))
      expect(await results.get(keyOf('a'))).toBeUndefined()
      expect((await buffer(reading)).equals(Buffer.alloc(60_000, 'a'))).toBe(true)
    })

    test('concurrent puts of one key all succeed and leave one complete result', async () => {
      const stored = await Promise.all(Array.from({ length: 5 }, () => put('a', 9_000)))
      expect(stored).not.toContain(false)
      expect(await read('a')).toBe('a'.repeat(9_000))
    })

    test('a body with another length than announced is refused and leaves nothing', async () => {
      const path = join(scratch, 'body')
      await writeFile(path, 'four')
      await expect(results.put(keyOf('a'), path, metaOf(Buffer.from('seven..')))).rejects.toThrow(
        '4 bytes and not the 7',
      )
      const four = Buffer.from('four')
      await expect(results.put(keyOf('a'), four, metaOf(Buffer.from('seven..')))).rejects.toThrow(
        '4 bytes and not the 7',
      )
      await expect(results.put(keyOf('b'), join(scratch, 'missing'), metaOf(Buffer.from('x')))).rejects.toThrow()
      expect(await kept(['a', 'b'])).toEqual([])
    })

    test('stored results survive closing and opening', async () => {
      await put('a', 500)
      await results.close()
      results = await open()
      expect(await read('a')).toBe('a'.repeat(500))
    })

    test('a result expires by age, even if it is used', async () => {
      await put('a', 500)
      clock += 24 * HOUR
      expect(await read('a')).toBeDefined()
      clock += 1
      expect(await read('a')).toBeUndefined()
    })

    if (!bounded) return

    test('a removed result cannot be opened', async () => {
      await put('a', 500)
      const stored = await results.get(keyOf('a'))
      await results.remove(keyOf('a'))
      await expect(stored!.open()).rejects.toThrow('removed meanwhile')
    })

    test('the least recently used result is evicted first', async () => {
      for (const name of ['a', 'b', 'c']) {
        await put(name, 30_000)
        clock += 60_000
      }
      clock += HOUR
      expect(await read('a')).toBeDefined()
      clock += 60_000
      await put('d', 30_000)
      expect(await kept(['a', 'b', 'c', 'd'])).toEqual(['a', 'c', 'd'])
    })

    test('the order of use survives closing and opening', async () => {
      for (const name of ['a', 'b', 'c']) {
        await put(name, 30_000)
        clock += 60_000
      }
      clock += HOUR
      expect(await read('a')).toBeDefined()
      await results.close()
      results = await open()
      clock += 60_000
      await put('d', 30_000)
      expect(await kept(['a', 'b', 'c', 'd'])).toEqual(['a', 'c', 'd'])
    })

    test('a result younger than an hour is never evicted; a new one is refused instead', async () => {
      for (const name of ['a', 'b', 'c']) await put(name, 30_000)
      clock += HOUR - 1
      expect(await put('d', 30_000)).toBe(false)
      expect(await kept(['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c'])
      clock += 1
      expect(await put('d', 30_000)).toBe(true)
    })

    test('an unpromised result may be evicted within its first hour', async () => {
      await put('a', 30_000)
      await put('b', 30_000, { promised: false })
      await put('c', 30_000)
      expect(await put('d', 30_000)).toBe(true)
      expect(await kept(['a', 'b', 'c', 'd'])).toEqual(['a', 'c', 'd'])
    })

    test('a result larger than the store is refused, and evicts nothing', async () => {
      await put('a', 1_000, { promised: false })
      expect(await put('huge', 100_001)).toBe(false)
      expect(await kept(['a'])).toEqual(['a'])
    })

    test('concurrent puts do not exceed the space together', async () => {
      const names = Array.from({ length: 12 }, (_, n) => String.fromCharCode(97 + n))
      const stored = await Promise.all(names.map((name) => put(name, 20_000)))
      expect(stored.filter(Boolean)).toHaveLength(4)
      expect(await kept(names)).toHaveLength(4)
    })

    test('opening removes expired results, and those above a lowered limit', async () => {
      await put('old', 500)
      clock += 23 * HOUR
      for (const name of ['a', 'b', 'c']) {
        await put(name, 30_000)
        clock += 60_000
      }
      await results.close()
      clock += 2 * HOUR
      results = await store.open({ maxBytes: 70_000, maxAgeMs: 24 * HOUR, now: () => new Date(clock) })
      expect(await kept(['old', 'a', 'b', 'c'])).toEqual(['b', 'c'])
    })
  })
}
