import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningService, startService } from '../../../scripts/corpus/service.ts'
import type { Attack } from '../attack.ts'
import { accounts, ask, keepBusy, photograph, unlike } from '../crowd.ts'

const AT_ONCE = 8
/** ms until children that lost their parent have ended by themselves. */
const ORPHANS_END_MS = 5_000

const childrenOf = (pid: number): readonly number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The command line of a process that is there and no zombie; empty otherwise. */
const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const chargedTo = async (service: RunningService): Promise<number> => {
  const months = JSON.parse(await accounts(service, 'usage', 'anna', '--json')) as { used: number }[]
  return months.reduce((sum, { used }) => sum + used, 0)
}

/** Spool and scratch files that remain after a damaged round and a restart of the service. */
const leftAfterStart = async ({ dataDir }: RunningService): Promise<readonly string[]> =>
  (await Promise.all(['spool', 'work'].map((name) => readdir(join(dataDir, name))))).flat()

/** Ends the service, or its children, in the midst of work, and looks at what came of acknowledged answers, accounts and files. */
export const KILLS: Attack = {
  name: 'kills',
  run: async ({ short }) => {
    const rounds = short ? 2 : 50
    const problems: string[] = []
    const directory = await mkdtemp(join(tmpdir(), 'whittle-kills-'))
    const image = await photograph(500, 400)
    let acknowledged = 0
    let later = 0
    let sent = 0
    const load = (address: string, allowed: readonly number[]) =>
      keepBusy(AT_ONCE, async () => {
        sent += 1
        const { status } = await ask(address, 'anna/full', unlike(image))
        if (status === 200) acknowledged += 1
        else if (status === 303) later += 1
        else if (!allowed.includes(status)) problems.push(`${status} while processes were killed`)
        if (status !== 200) await sleep(20)
      })
    const begin = () => startService({ DATA_DIR: directory })
    let service = await begin()
    await accounts(service, 'add', 'anna')
    for (let round = 0; round < rounds; round += 1) {
      if (round % 2 === 0) {
        const working = load(service.address, [503])
        for (let kill = 0; kill < 3; kill += 1) {
          await sleep(300 + Math.random() * 500)
          for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGKILL')
        }
        await working.stop()
        continue
      }
      const working = load(service.address, [503, 0])
      await sleep(500 + Math.random() * 1500)
      const children = childrenOf(service.pid).map((pid) => [pid, commandOf(pid)] as const)
      await service.kill()
      await working.stop()
      await sleep(ORPHANS_END_MS)
      for (const [pid, command] of children)
        if (command !== '' && commandOf(pid) === command) problems.push(`child ${pid} outlived its parent`)
      service = await begin()
      const left = await leftAfterStart(service)
      if (left.length > 0) problems.push(`left after a start: ${left.join(', ')}`)
    }
    const charged = await chargedTo(service)
    await service.stop()
    await rm(directory, { recursive: true, force: true })
    if (charged < acknowledged) problems.push(`${acknowledged} answers came, ${charged} were charged`)
    if (charged > sent) problems.push(`${charged} were charged of ${sent} requests`)
    return {
      tries: sent,
      problems,
      notes: [
        `${rounds} rounds, ${sent} requests: ${acknowledged} answers and ${later} promises came; charged, or held until their reservations expire: ${charged}`,
      ],
    }
  },
}
