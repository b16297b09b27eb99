import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDiskResults } from '../../src/adapters/results/disk.ts'

// Stores results endlessly, to be killed in the middle.
const [directory, scratch] = process.argv.slice(2) as [string, string]
const results = await openDiskResults({ directory, maxBytes: 1e9, maxAgeMs: 3_600_000 })
const body = Buffer.alloc(300_000, 7)
const path = join(scratch, 'body')
await writeFile(path, body)
for (let n = 0; ; n++) {
  const key = createHash('sha256').update(String(n)).digest('hex')
  const meta = { contentType: 'image/png', bytes: body.length, etag: '"7"', headers: {}, createdAt: Date.now() }
  await results.put(key, path, meta)
  if (n === 5) process.stdout.write('under way\n')
}
