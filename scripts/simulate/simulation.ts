import { type Chance, makeChance } from './chance.ts'
import { type Agenda, makeAgenda } from './heap.ts'

/** Parameters of a day; times in seconds. */
export interface Day {
  readonly seed: number
  readonly nodes: number
  readonly workersPerNode: number
  readonly imagesPerDay: number
  /** CPU of an image: mean and spread of a lognormal. */
  readonly cpu: { readonly mean: number; readonly sigma: number }
  /** Images that wait on one node before more get 503. */
  readonly queueLimit: number
  /** Share of all images that come in imports: many at once from one account. */
  readonly bursts: { readonly share: number; readonly images: number; readonly within: number }
  /** Mean time between deaths of one node, and how long it is gone. */
  readonly deaths: { readonly every: number; readonly gone: number }
  /** Until other nodes take over an image that outlasted its request (303). The proxy sends images that clients wait for again at once. */
  readonly takeOver: number
  /** When the result store is slow, and what a result then waits for it. */
  readonly slowStore: { readonly from: number; readonly to: number; readonly wait: number }
  readonly store: number
  /** After so long a request is answered with 303. */
  readonly redirectAfter: number
}

/** Result of a simulation. */
export interface Found {
  readonly images: number
  readonly refused: number
  readonly deaths: number
  /** Images begun again after a death. */
  readonly again: number
  /** Accepted and never answered. */
  readonly lost: number
  readonly redirected: number
  /** Seconds that images waited before they were worked on, sorted. */
  readonly queue: Float64Array
  /** Seconds from arrival to the result, sorted. */
  readonly total: Float64Array
  /** Share of all workers' time that was work. */
  readonly busy: number
}

/** An image; times in seconds. */
interface Image {
  readonly arrived: number
  readonly cpu: number
}

interface Node {
  up: boolean
  /** Raised at each death: work of an earlier life does not end. */
  life: number
  busy: number
  readonly waiting: Image[]
  readonly running: Set<Image>
}

/** Seconds of the simulated time. */
const DAY = 86_400
/** Largest share of {@link shareOfHour}. */
const PEAK = 1.6

/** Images at a time of the day, as a ratio to the mean: a night, and a peak in the afternoon. */
const shareOfHour = (at: number): number => 1 + (PEAK - 1) * Math.sin((2 * Math.PI * (at - 9 * 3600)) / DAY)

/** Adds a day's arrivals to the agenda: bursts at random times, and a steady part by thinning (Lewis and Shedler 1979). */
const planArrivals = ({ bursts, imagesPerDay }: Day, chance: Chance, agenda: Agenda, arrive: () => void): void => {
  const steady = (1 - bursts.share) * imagesPerDay
  const drip = (now: number): void => {
    if (chance.uniform() < shareOfHour(now) / PEAK) arrive()
    const at = now + chance.exponential(DAY / (steady * PEAK))
    if (at < DAY) agenda.add({ at, happen: () => drip(at) })
  }
  const count = Math.round((bursts.share * imagesPerDay) / bursts.images)
  for (let burst = 0; burst < count; burst += 1) {
    const start = chance.uniform() * (DAY - bursts.within)
    for (let image = 0; image < bursts.images; image += 1)
      agenda.add({ at: start + chance.uniform() * bursts.within, happen: arrive })
  }
  agenda.add({ at: 0, happen: () => drip(0) })
}

/** Counts what happens in a day. */
const openTally = (day: Day) => {
  const queue: number[] = []
  const total: number[] = []
  const counts = { images: 0, refused: 0, deaths: 0, again: 0, redirected: 0 }
  let work = 0
  return {
    counts,
    begun: (waited: number): void => void queue.push(waited),
    finished: (image: Image, took: number): void => {
      work += image.cpu
      total.push(took)
      if (took > day.redirectAfter) counts.redirected += 1
    },
    found: (): Found => ({
      ...counts,
      lost: counts.images - counts.refused - total.length,
      queue: Float64Array.from(queue).sort(),
      total: Float64Array.from(total).sort(),
      busy: work / (DAY * day.nodes * day.workersPerNode),
    }),
  }
}

/** The state of a simulated day. `now` is the time of the current event in seconds. */
interface World {
  readonly day: Day
  readonly chance: Chance
  readonly agenda: Agenda
  readonly nodes: readonly Node[]
  readonly tally: ReturnType<typeof openTally>
  now: number
}

const makeNode = (): Node => ({ up: true, life: 0, busy: 0, waiting: [], running: new Set() })

const begin = (world: World, node: Node, image: Image): void => {
  node.busy += 1
  node.running.add(image)
  world.tally.begun(world.now - image.arrived)
  const { life } = node
  world.agenda.add({
    at: world.now + image.cpu,
    happen: () => {
      if (node.life === life) finish(world, node, image)
    },
  })
}

const finish = (world: World, node: Node, image: Image): void => {
  const { now, day, tally } = world
  const { from, to, wait } = day.slowStore
  node.busy -= 1
  node.running.delete(image)
  tally.finished(image, now - image.arrived + (now >= from && now < to ? wait : day.store))
  const next = node.waiting.shift()
  if (next !== undefined) begin(world, node, next)
}

const loadOf = ({ busy, waiting }: Node): number => busy + waiting.length

/** The running node with the fewest images, as nginx chooses it by `least_conn`. */
const leastBusy = (nodes: readonly Node[]): Node | undefined => {
  let best: Node | undefined
  for (const node of nodes) if (node.up && (best === undefined || loadOf(node) < loadOf(best))) best = node
  return best
}

/** Sends an image to a node. `isAccepted`: it was accepted by a node that died, so a full queue does not refuse it. */
const send = (world: World, image: Image, isAccepted: boolean): void => {
  const { day, nodes, tally } = world
  const node = leastBusy(nodes)
  if (node === undefined || (!isAccepted && node.waiting.length >= day.queueLimit)) tally.counts.refused += 1
  else if (node.busy < day.workersPerNode) begin(world, node, image)
  else node.waiting.push(image)
}

/** Ends a node for a while. Its images begin again on others. */
const die = (world: World, node: Node): void => {
  const { day, agenda, tally, now } = world
  const orphans = [...node.running, ...node.waiting]
  Object.assign(node, { up: false, life: node.life + 1, busy: 0 })
  node.running.clear()
  node.waiting.length = 0
  tally.counts.deaths += 1
  tally.counts.again += orphans.length
  for (const image of orphans) {
    const wait = now - image.arrived > day.redirectAfter ? day.takeOver : 0
    agenda.add({ at: now + wait, happen: () => send(world, image, true) })
  }
  const comeBack = (): void => {
    node.up = true
  }
  agenda.add({ at: now + day.deaths.gone, happen: comeBack })
  planDeath(world, node)
}

const planDeath = (world: World, node: Node): void => {
  const { chance, day, now } = world
  const happen = (): void => (node.up ? die(world, node) : planDeath(world, node))
  world.agenda.add({ at: now + chance.exponential(day.deaths.every), happen })
}

/** Simulates one day. The same seed gives the same day. */
export const simulate = (day: Day): Found => {
  const [chance, agenda, tally] = [makeChance(day.seed), makeAgenda(), openTally(day)]
  const nodes = Array.from({ length: day.nodes }, makeNode)
  const world: World = { day, chance, agenda, nodes, tally, now: 0 }
  planArrivals(day, chance, agenda, () => {
    tally.counts.images += 1
    send(world, { arrived: world.now, cpu: chance.lognormal(day.cpu.mean, day.cpu.sigma) }, false)
  })
  for (const node of nodes) planDeath(world, node)
  // Deaths go on for an hour after the day, in which accepted images are finished.
  for (let event = agenda.next(); event !== undefined && event.at < DAY + 3600; event = agenda.next()) {
    world.now = event.at
    event.happen()
  }
  return tally.found()
}
