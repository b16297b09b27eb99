import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { batchesOf } from './batches.ts'

const fails = { inTinyChunks: () => new Error('tiny'), cutOff: () => new Error('cut off') }
const chunksOf = (count: number, bytes: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => Buffer.from(new Uint8Array(bytes).fill(at).buffer))

describe('a body in batches', () => {
  it('a body arrives whole and in order, and joined chunks are released', async () => {
    const chunks = chunksOf(40, 20_000)
    const whole = Buffer.concat(chunks)
    const batches: Buffer[] = []
    for await (const batch of batchesOf(Readable.from([...chunks]), new AbortController().signal, fails)) {
      batches.push(batch)
      await new Promise((after) => setTimeout(after, 5))
    }
    expect(Buffer.concat(batches).equals(whole)).toBe(true)
    expect(batches.length).toBeLessThan(chunks.length)
    const kept = chunks.filter((chunk) => chunk.length > 0)
    expect(kept.every((chunk) => batches.includes(chunk))).toBe(true)
  })

  it('fails when it is closed before its end', async () => {
    const body = new Readable({ read: () => undefined })
    body.push('half')
    setTimeout(() => body.destroy(), 20)
    const read = async () => {
      for await (const _ of batchesOf(body, new AbortController().signal, fails));
    }
    await expect(read()).rejects.toThrow('cut off')
  })
})
