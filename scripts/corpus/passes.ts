import { parseOptions } from '../../src/options/parse.ts'
import { ask } from './ask.ts'
import { addressPath, type CorpusFile } from './files.ts'
import type { Flags } from './flags.ts'
import { FRESH } from './origin.ts'
import type { RunningService } from './service.ts'
import { judgeReply } from './verdict.ts'

/** Growth of resident memory from the first pass to the last that allocators explain; leaks grow more. */
const MAX_GROWTH = 1.15

interface Repeat {
  readonly flags: Flags
  readonly service: RunningService
  readonly originAddress: string
  readonly files: readonly CorpusFile[]
  readonly say: (line: string) => void
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/**
 * Sends files of damage again and again, an image never seen before after each, and looks at the memory of the server and
 * its children after each pass. Resolves with whether every answer was a documented one and the memory stayed.
 */
export const repeatBad = async ({ flags, service, originAddress, files, say }: Repeat): Promise<boolean> => {
  const list = flags.optionLists[0]!
  const parsed = parseOptions(list, { maxTimeout: 30 })
  if (parsed.kind === 'wrong') throw parsed.failure
  const common = { service: service.address, options: list, patience: flags.hangMs * 3 }
  const faults: string[] = []
  const totals: number[] = []
  let fresh = 0
  for (let pass = 1; pass <= flags.passes; pass++) {
    const statuses = new Map<number, number>()
    for (const file of files) {
      const reply = await ask({ ...common, imageUrl: originAddress + addressPath(file.name), encoded: pass % 2 === 0 })
      const verdict = await judgeReply({
        file,
        source: undefined,
        options: parsed.options,
        reply,
        hangMs: flags.hangMs,
      })
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      if (verdict.faults.length > 0) faults.push(`${file.name}: ${verdict.remarks.join('; ')}`)
      service.assertAlive()
      fresh += 1
      const after = await ask({ ...common, imageUrl: `${originAddress}${FRESH}${fresh}.png`, encoded: false })
      if (after.status !== 200)
        faults.push(`after ${file.name}: ${after.status} ${after.trouble ?? after.body.toString()}`)
    }
    const { server, children } = await service.memory()
    totals.push(server + children.reduce((sum, each) => sum + each, 0))
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`)
    say(
      `pass ${pass}: ${files.length} files, ${counts.join(', ')}; memory ${megabytes(totals.at(-1)!)}: server ${megabytes(server)}, children ${children.map(megabytes).join(', ')}`,
    )
  }
  for (const fault of faults) say(fault)
  const leftovers = await service.leftovers()
  if (leftovers.length > 0) say(`Left behind in the data directory: ${leftovers.join(', ')}`)
  const growth = (totals.at(-1) ?? 0) / (totals[0] ?? 1)
  say(
    `Memory after the last pass is ${growth.toFixed(2)} times that after the first; at most ${MAX_GROWTH} is allowed.`,
  )
  return faults.length === 0 && leftovers.length === 0 && growth <= MAX_GROWTH
}
