import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeContent } from './decode-content.ts'

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const read = async (bytes: Uint8Array, codings: readonly string[], maxBytes: number): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const part of decodeContent(once(bytes), codings, maxBytes)) parts.push(part)
  return Buffer.concat(parts)
}

describe('an answer that is compressed twice', () => {
  it('is decoded', async () => {
    const twice = gzipSync(gzipSync('image'))
    expect((await read(twice, ['gzip', 'gzip'], 1_000)).toString()).toBe('image')
  })

  it('is refused when it unpacks to much that unpacks to nothing', async () => {
    const nothing = gzipSync('')
    const much = gzipSync(Buffer.alloc(nothing.length * 100_000, nothing))
    await expect(read(much, ['gzip', 'gzip'], 1_000_000)).rejects.toMatchObject({ code: 'SOURCE_TOO_HEAVY' })
  })

  it('is refused when it has more bytes than a source may have, even if they unpack to nothing', async () => {
    const nothing = gzipSync('')
    const much = Buffer.alloc(nothing.length * 10_000, nothing)
    await expect(read(much, ['gzip'], 100_000)).rejects.toMatchObject({ code: 'SOURCE_TOO_HEAVY' })
  })
})
