import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { cpuSecondsOf } from '../../scripts/corpus/service.ts'
import { openSqliteAccounts } from '../../src/adapters/accounts/sqlite.ts'
import type { Cluster } from './cluster.ts'
import { picture } from './pictures.ts'
import { post, type Reply, statuses } from './requests.ts'
import { startNginx } from './servers/nginx.ts'
import { type ServiceNode, startNode } from './servers/node.ts'
import { note } from './table.ts'

/** Images in each of the two halves of a run; the figures of docs/scaling.md are of 60. */
const IMAGES = Number(process.env['CLUSTER_IMAGES'] ?? 20)
/** px */
const WIDTH = 500
/** Clients at once for each node: its worker is never without work. */
const CLIENTS = 4
/** Images that each node works on before anything is measured: the first ones compile and load. */
const WARMTH = 6
/** Requests for a known result, one after the other. */
const KNOWN = 150

/** Nodes behind one address. */
interface Fleet {
  readonly address: string
  readonly nodes: readonly ServiceNode[]
}

/** Measurement: images, seconds, and CPU seconds of the nodes. */
interface Measured {
  readonly images: number
  readonly seconds: number
  readonly cpu: number
}

/** Numbers of the cores that this process may use. */
const allowedCores = async (): Promise<number[]> => {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)/m.exec(await readFile('/proc/self/status', 'utf8')) ?? []
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

let seed = 2_000_000

const newPictures = (count: number): Promise<Buffer[]> =>
  Promise.all(
    Array.from({ length: count }, () => {
      seed += 1
      return picture(seed, WIDTH)
    }),
  )

const cpuOf = async ({ nodes }: Fleet): Promise<number> => {
  const each = await Promise.all(nodes.map((node) => cpuSecondsOf(node.pid())))
  return each.reduce((sum, one) => sum + one, 0)
}

/** Sends images by `clients` clients at once. */
const send = async (address: string, images: readonly Buffer[], clients: number): Promise<Reply[]> => {
  const replies: Reply[] = []
  let next = 0
  const client = async (): Promise<void> => {
    for (let at = next++; at < images.length; at = next++) replies.push(await post(address, images[at]!))
  }
  await Promise.all(Array.from({ length: clients }, client))
  expect(statuses(replies)).toEqual({ 200: images.length })
  return replies
}

const measure = async (fleet: Fleet, images: readonly Buffer[], clients: number): Promise<Measured> => {
  const [cpu, since] = [await cpuOf(fleet), performance.now()]
  await send(fleet.address, images, clients)
  return {
    images: images.length,
    seconds: (performance.now() - since) / 1000,
    cpu: (await cpuOf(fleet)) - cpu,
  }
}

const joined = (one: Measured, other: Measured): Measured => ({
  images: one.images + other.images,
  seconds: one.seconds + other.seconds,
  cpu: one.cpu + other.cpu,
})

const perSecond = ({ images, seconds }: Measured): number => images / seconds
const cpuEach = ({ images, cpu }: Measured): number => (1000 * cpu) / images
const msEach = ({ images, seconds }: Measured): number => (1000 * seconds) / images

const startEmbedded = async (core: number): Promise<ServiceNode> => {
  const node = await startNode({ REDIRECT_AFTER: '25s' }, { core })
  const books = await openSqliteAccounts({ path: `${node.dataDir}/accounts.sqlite`, trialQuota: 1 })
  await books.add('anna', {})
  await books.close()
  return node
}

/** Ratios of nodes that are pinned to a core each, and of the stores to the embedded default. No ratio is asserted: it is the machine's. */
export const testThroughput = (cluster: Cluster): void => {
  test('throughput of one, two and three nodes, and what the stores cost', async () => {
    await using ends = new AsyncDisposableStack()
    const cores = await allowedCores()
    const coreOf = (at: number): number => cores[at % cores.length]!
    const embedded = ends.use(await startEmbedded(coreOf(0)))
    const nodes: ServiceNode[] = []
    for (const at of [0, 1, 2])
      nodes.push(ends.use(await cluster.startMore({ REDIRECT_AFTER: '25s' }, { core: coreOf(at) })))
    const behindNginx = async (count: number): Promise<Fleet> => {
      const some = nodes.slice(0, count)
      return { address: ends.use(await startNginx(some.map(({ port }) => port))).url, nodes: some }
    }
    const alone: Fleet = { address: embedded.url, nodes: [embedded] }
    const direct: Fleet = { address: nodes[0]!.url, nodes: [nodes[0]!] }
    const fleets = [alone, direct, await behindNginx(1), await behindNginx(2), await behindNginx(3)]
    for (const { url } of [embedded, ...nodes]) await send(url, await newPictures(WARMTH), 2)

    // Halves alternate: machines have moods.
    const halves: Measured[][] = []
    for (let half = 0; half < 2; half += 1) {
      const measured: Measured[] = []
      for (const fleet of fleets)
        measured.push(await measure(fleet, await newPictures(IMAGES), CLIENTS * fleet.nodes.length))
      halves.push(measured)
    }
    const [own, stores, one, two, three] = fleets.map((_, at) => joined(halves[0]![at]!, halves[1]![at]!)) as [
      Measured,
      Measured,
      Measured,
      Measured,
      Measured,
    ]
    const versus = (a: Measured, b: Measured): string => (perSecond(a) / perSecond(b)).toFixed(2)
    const told = (run: Measured): string =>
      `${perSecond(run).toFixed(1)} images a second, ${cpuEach(run).toFixed(0)} ms of CPU each`
    note('embedded default, one node on one core', told(own))
    note(
      'the same on PostgreSQL, Redis and S3',
      `${told(stores)}: throughput ${versus(stores, own)}, CPU ${(cpuEach(stores) / cpuEach(own)).toFixed(2)} of embedded`,
    )
    note('one node behind nginx on core 1', told(one))
    note(`two nodes, on cores 1 and ${Math.min(2, cores.length)}`, `${told(two)}: ${versus(two, one)} of one`)
    note(`three nodes on ${Math.min(3, cores.length)} cores`, `${told(three)}: ${versus(three, one)} of one`)

    const known = await newPictures(1)
    const again = Array<Buffer>(KNOWN).fill(known[0]!)
    const costs: Measured[] = []
    for (const fleet of [alone, direct]) {
      await send(fleet.address, known, 1)
      costs.push(await measure(fleet, again, 1))
    }
    const [cheap, dear] = costs as [Measured, Measured]
    note(
      'a request for a known result, one after the other: embedded, on the stores',
      `${msEach(cheap).toFixed(1)} ms and ${msEach(dear).toFixed(1)} ms (${(msEach(dear) / msEach(cheap)).toFixed(2)}), ${cpuEach(cheap).toFixed(1)} ms and ${cpuEach(dear).toFixed(1)} ms of CPU (${(cpuEach(dear) / cpuEach(cheap)).toFixed(2)})`,
    )
    const shares = await Promise.all(nodes.map((node) => node.metric('whittle_results_total')))
    expect(shares.every((share) => share > WARMTH)).toBe(true)
  }, 600_000)
}
