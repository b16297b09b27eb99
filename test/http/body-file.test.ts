import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/jobs/answer.ts'
import type { ByteRange } from '../../src/ports/results.ts'
import { sendFromDisk } from '../../src/server/body-file.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'whittle-body-'))
})
afterAll(() => rm(directory, { recursive: true }))

const answerOf = (body: Uint8Array): Answer => ({
  kind: 'image',
  contentType: 'image/png',
  body,
  bytes: body.length,
  etag: '"x"',
  warnings: [],
  stages: {},
  facts: {},
  variesByAccept: false,
})

const bytesOf = async (answer: Answer, range?: ByteRange): Promise<Buffer> => {
  if (answer.kind !== 'image' || typeof answer.body !== 'function') throw new Error('It is not sent from a file.')
  const parts: Buffer[] = []
  for await (const part of await answer.body(range)) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

describe('a large body', () => {
  it('a large body is sent from an unlinked file, and nothing remains', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))
    let sent: Buffer | undefined
    await sendFromDisk(
      async () => answerOf(body),
      directory,
      async (answer) => {
        expect(await readdir(directory)).toEqual([])
        sent = await bytesOf(answer)
      },
    )
    expect(sent?.equals(body)).toBe(true)
  })

  it('a range of a large body is no longer than its Content-Length, or the rest would look like the next response', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))
    const parts: Buffer[] = []
    await sendFromDisk(
      async () => answerOf(body),
      directory,
      async (answer) => {
        parts.push(
          await bytesOf(answer, { first: 0, last: 9 }),
          await bytesOf(answer, { first: 299_000, last: 299_999 }),
        )
      },
    )
    expect(parts.map((part) => part.length)).toEqual([10, 1_000])
    expect(Buffer.concat(parts).equals(Buffer.concat([body.subarray(0, 10), body.subarray(299_000)]))).toBe(true)
  })

  it('a large body is not in memory while it is sent', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    let held: WeakRef<Uint8Array> | undefined
    const make = async (): Promise<Answer> => {
      const body = new Uint8Array(1_000_000)
      held = new WeakRef(body)
      return answerOf(body)
    }
    const isHeld = async (): Promise<boolean> => {
      for (let turn = 0; turn < 20 && held?.deref() !== undefined; turn += 1) {
        await setImmediate()
        collect()
      }
      return held?.deref() !== undefined
    }
    let whileSent: boolean | undefined
    await sendFromDisk(make, directory, async () => {
      whileSent = await isHeld()
    })
    expect(whileSent).toBe(false)
  })

  it('a large body is sent from memory when no file can be created', async () => {
    const body = Buffer.alloc(300_000)
    let answer: Answer | undefined
    const nowhere = join(directory, 'not-there')
    await sendFromDisk(
      async () => answerOf(body),
      nowhere,
      async (given) => {
        answer = given
      },
    )
    expect(answer?.kind === 'image' && answer.body === body).toBe(true)
  })
})

it('a small body stays in memory', async () => {
  const body = Buffer.alloc(1000)
  let answer: Answer | undefined
  await sendFromDisk(
    async () => answerOf(body),
    directory,
    async (given) => {
      answer = given
    },
  )
  expect(answer?.kind === 'image' && answer.body === body).toBe(true)
})
