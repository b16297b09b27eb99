import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type RunningService, startService } from '../../../scripts/corpus/service.ts'
import { type Attack, type Finding, isDocumented } from '../attack.ts'
import { ask, photograph, unlike } from '../crowd.ts'

const run = promisify(execFile)

/** Sends `count` images at once; resolves with the statuses. */
const volley = async (address: string, count: number, image: Buffer): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: count }, async () => (await ask(address, 'demo/full', unlike(image))).status))

const undocumented = (statuses: readonly number[], when: string): string[] =>
  statuses.filter((status) => !isDocumented(status)).map((status) => `${status} ${when}`)

/** Waits until an image is optimised again; a problem when it never is. */
const recovers = async ({ address }: RunningService, image: Buffer, after: string): Promise<string[]> => {
  for (let turn = 0; turn < 40; turn += 1) {
    if ((await ask(address, 'demo/full', unlike(image))).status === 200) return []
    await sleep(250)
  }
  return [`no image was optimised ${after}`]
}

/** A disk of its own for the service: filled up, then read-only, then well again. */
const onSmallDisk = async (image: Buffer): Promise<Finding> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', directory])
  } catch {
    await rm(directory, { recursive: true })
    return { tries: 0, problems: [], notes: ['disks cannot be mounted here: not tried'] }
  }
  const problems: string[] = []
  const service = await startService({ DATA_DIR: directory })
  try {
    const filler = join(directory, 'filler')
    await writeFile(filler, Buffer.alloc(20e6)).catch(() => undefined)
    const full = await volley(service.address, 10, image)
    problems.push(...undocumented(full, 'on a full disk'))
    if (!full.includes(503)) problems.push('nothing was refused on a full disk')
    await rm(filler)
    problems.push(...(await recovers(service, image, 'when there was room again')))
    // The whole disk cannot turn read-only while the accounts are open: where sources are spooled does.
    const spool = join(directory, 'spool')
    await run('mount', ['-t', 'tmpfs', '-o', 'ro,size=4k', 'tmpfs', spool])
    const readOnly = await volley(service.address, 10, image)
    problems.push(...undocumented(readOnly, 'on a read-only disk'))
    if (!readOnly.includes(503)) problems.push('nothing was refused on a read-only disk')
    await run('umount', [spool])
    problems.push(...(await recovers(service, image, 'when the disk could be written again')))
    service.assertAlive()
  } finally {
    await service.stop()
    await run('umount', ['-l', directory])
    await rm(directory, { recursive: true, force: true })
  }
  return { tries: 20, problems }
}

/** 64 descriptors for the service, and as many clients at once. */
const withFewDescriptors = async (image: Buffer): Promise<Finding> => {
  const service = await startService({ WORKERS: '1' }, { through: ['prlimit', '--nofile=64', '--'] })
  try {
    const statuses = await volley(service.address, 64, image)
    // More connections than are accepted are closed unheard: 0.
    const problems = undocumented(
      statuses.filter((status) => status !== 0),
      'with 64 descriptors',
    )
    if (!statuses.includes(200)) problems.push('nothing was answered with 64 descriptors')
    problems.push(...(await recovers(service, image, 'when the 64 clients had gone')))
    service.assertAlive()
    const answered = statuses.filter((status) => status === 200).length
    return { tries: 64, problems, notes: [`of 64 clients on 64 descriptors ${answered} got their image`] }
  } finally {
    await service.stop()
  }
}

/** Machines that have run out of something. */
export const EXHAUSTION: Attack = {
  name: 'exhaustion',
  run: async () => {
    const image = await photograph(400, 300)
    const findings = [await onSmallDisk(image), await withFewDescriptors(image)]
    return {
      tries: findings.reduce((sum, { tries }) => sum + tries, 0),
      problems: findings.flatMap(({ problems }) => problems),
      notes: findings.flatMap(({ notes = [] }) => notes),
    }
  },
}
