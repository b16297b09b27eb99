import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type JournalEntry, openJournal } from '../../src/adapters/accounts/journal.ts'
import { scratchDirectory } from '../scratch.ts'

const path = join(await scratchDirectory('journal'), 'charges.journal')
const entry = (requestId: string): JournalEntry => ({ act: 'settle', requestId, username: 'shop', reservedAt: 1 })

it('keeps the charge that follows a line that a crash or a full disk cut off', async () => {
  writeFileSync(path, `${JSON.stringify(entry('first'))}\n{"act":"set`)
  const journal = await openJournal(path)
  await journal.add(entry('second'))
  appendFileSync(path, '{"act":"rel')
  await journal.add(entry('third'))
  const again = await openJournal(path)
  const names: string[] = []
  await again.replay(async ({ requestId }) => void names.push(requestId))
  expect(names).toEqual(['first', 'second', 'third'])
  expect((await openJournal(path)).size()).toBe(0)
})
