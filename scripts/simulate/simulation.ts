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
  /** Until others take over what outlasted its request (303); what a client waits for is sent again by the proxy at once. */
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

interface Image {
  readonly arrived: number
  readonly cpu: number
  begun: number
}

interface Node {
  up: boolean
  /** Raised at each death: work of an earlier life does not end. */
  life: number
  busy: number
  readonly waiting: Image[]
  readonly running: Set<Image>
}

const DAY = 86_400

/** How many images there are at a time of the day against the mean: a night, and a peak in the evening. */
const shareOfHour = (at: number): number => 1 + 0.6 * Math.sin((2 * Math.PI * (at - 9 * 3600)) / DAY)

/** Adds a day's arrivals to the agenda: bursts at random times, and a steady part by thinning (Lewis and Shedler 1979). */
const planArrivals = ({ bursts, imagesPerDay }: Day, chance: Chance, agenda: Agenda, arrive: () => void): void => {
  const steady = (1 - bursts.share) * imagesPerDay
  const drip = (now: number): void => {
    if (chance.uniform() < shareOfHour(now) / 1.6) arrive()
    const at = now + chance.exponential(DAY / (steady * 1.6))
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

/** Runs one day. */
export const simulate = (day: Day): Found => {
  const chance = makeChance(day.seed)
  const agenda = makeAgenda()
  const nodes: Node[] = Array.from({ length: day.nodes }, () => ({
    up: true,
    life: 0,
    busy: 0,
    waiting: [],
    running: new Set(),
  }))
  const queue: number[] = []
  const total: number[] = []
  let now = 0
  let [images, refused, deaths, again, redirected, work] = [0, 0, 0, 0, 0, 0]

  const finish = (node: Node, image: Image, life: number): void => {
    if (node.life !== life) return
    node.busy -= 1
    node.running.delete(image)
    work += image.cpu
    const { from, to, wait } = day.slowStore
    const took = now - image.arrived + (now >= from && now < to ? wait : day.store)
    total.push(took)
    if (took > day.redirectAfter) redirected += 1
    const next = node.waiting.shift()
    if (next !== undefined) begin(node, next)
  }
  const begin = (node: Node, image: Image): void => {
    node.busy += 1
    node.running.add(image)
    image.begun = now
    queue.push(now - image.arrived)
    const { life } = node
    agenda.add({ at: now + image.cpu, happen: () => finish(node, image, life) })
  }
  const loadOf = ({ busy, waiting }: Node): number => busy + waiting.length
  /** least_conn. */
  const choose = (): Node | undefined => {
    let best: Node | undefined
    for (const node of nodes) if (node.up && (best === undefined || loadOf(node) < loadOf(best))) best = node
    return best
  }
  const send = (image: Image, accepted: boolean): void => {
    const node = choose()
    if (node === undefined || (!accepted && node.waiting.length >= day.queueLimit)) refused += 1
    else if (node.busy < day.workersPerNode) begin(node, image)
    else node.waiting.push(image)
  }
  const arrive = (): void => {
    images += 1
    send({ arrived: now, cpu: chance.lognormal(day.cpu.mean, day.cpu.sigma), begun: 0 }, false)
  }
  const die = (node: Node): void => {
    const orphans = [...node.running, ...node.waiting]
    Object.assign(node, { up: false, life: node.life + 1, busy: 0 })
    node.running.clear()
    node.waiting.length = 0
    deaths += 1
    again += orphans.length
    for (const image of orphans) {
      const wait = now - image.arrived > day.redirectAfter ? day.takeOver : 0
      agenda.add({ at: now + wait, happen: () => send(image, true) })
    }
    const comeBack = (): void => {
      node.up = true
    }
    agenda.add({ at: now + day.deaths.gone, happen: comeBack })
    plan(node)
  }
  const plan = (node: Node): void =>
    agenda.add({ at: now + chance.exponential(day.deaths.every), happen: () => (node.up ? die(node) : plan(node)) })

  planArrivals(day, chance, agenda, arrive)
  for (const node of nodes) plan(node)

  // Deaths go on after the day; what was accepted by then is seen to its end.
  for (let event = agenda.next(); event !== undefined && event.at < DAY + 3600; event = agenda.next()) {
    now = event.at
    event.happen()
  }
  return {
    images,
    refused,
    deaths,
    again,
    lost: images - refused - total.length,
    redirected,
    queue: Float64Array.from(queue).sort(),
    total: Float64Array.from(total).sort(),
    busy: work / (DAY * day.nodes * day.workersPerNode),
  }
}
