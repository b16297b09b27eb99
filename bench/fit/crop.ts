/**
 * Fits `src/attention/parts/crop.fitted.ts`: the weights of what a window of `crop=auto` shows, by coordinate search on labelled
 * subjects and heads.
 *
 *   npm run fit:crop -- --records DIRECTORY DIR... [--write]
 *
 * The detectors run once per picture; their outputs stay in the files of `--records`, as for `npm run bench:crop:ablate`. Prints the
 * figures of the numbers in use, and of new ones on the half of the pictures that had no part in them. `--write` replaces the file.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseFocus } from '../../src/attention/choose-focus.ts'
import { FITTED_CROP } from '../../src/attention/parts/crop.fitted.ts'
import { computeSaliency } from '../../src/attention/saliency/saliency.ts'
import { type Judged, judgeWindows, summariseJudged } from '../crop/judge.ts'
import { type Recorded, record } from '../crop/recorded.ts'
import { writeFitted } from './fitted-file.ts'

/** Groups of numbers by name. */
type Numbers = Record<string, Record<string, number>>
/** The numbers in use. The search changes them in place, since `chooseFocus` reads them there. */
const numbers: Numbers = FITTED_CROP

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { records: { type: 'string' }, write: { type: 'boolean', default: false } },
})
if (values.records === undefined || positionals.length === 0)
  throw new Error('Usage: npm run fit:crop -- --records DIRECTORY DIR... [--write]')

/** Steps of the search, as factors. */
const STEPS = [0.8, 1.25]
/** The largest value of a group that holds shares. */
const MAX: Readonly<Record<string, number>> = { lost: 1 }
/** Smallest fall of the cost that a step is taken for: 91 photographs cannot show less. A window that is cut costs as much. Chosen, not measured. */
const MIN_GAIN = 0.1 / 546
/** Rounds over all numbers at most. */
const ROUNDS = 3
/** Cost of a window that cuts a subject which fits, and of a head that is cut or left out though all fit; the subject's lost share costs itself. */
const COST = { cutSubject: 0.1, head: 0.1 }

const { scenes, read } = await record(values.records, positionals)
const pictures = scenes.flatMap(({ set }, at): Omit<Recorded, 'views' | 'outputs'>[] => {
  if (!set.startsWith('fold')) return []
  const { views, outputs: _, ...picture } = read(at)
  return [{ ...picture, scene: { ...picture.scene, saliency: computeSaliency(views.small) } }]
})

const judge = (some: typeof pictures): Judged[] => some.map((one) => judgeWindows(one, one.scene, chooseFocus))

const costOf = (judged: readonly Judged[]): number => {
  const windows = judged.flatMap(({ shown, extreme }) => [...shown, ...extreme])
  const heads = judged.flatMap((one) => one.heads)
  const subjects = windows.reduce((sum, { kept, whole }) => sum + 1 - kept + (whole === false ? COST.cutSubject : 0), 0)
  return (subjects + heads.reduce((sum, { cut, missed }) => sum + COST.head * (cut + missed), 0)) / windows.length
}

const copyOf = (from: Numbers): Numbers => structuredClone(from)
const use = (source: Numbers): void => {
  for (const [group, fields] of Object.entries(source)) Object.assign(numbers[group]!, fields)
}

/** The numbers of least cost for some pictures, each changed by one step as long as that helps. */
const search = (some: typeof pictures, from: Numbers): Numbers => {
  use(from)
  let least = costOf(judge(some))
  const isBetter = (group: string, name: string, step: number): boolean => {
    const fields = numbers[group]!
    const before = fields[name]!
    fields[name] = Math.min(MAX[group] ?? Number.POSITIVE_INFINITY, before * step)
    const cost = costOf(judge(some))
    if (cost < least - MIN_GAIN) least = cost
    else fields[name] = before
    return cost <= least && fields[name] !== before
  }
  for (let round = 0; round < ROUNDS; round++) {
    let changed = false
    for (const [group, fields] of Object.entries(numbers))
      for (const name of Object.keys(fields))
        for (const step of STEPS) while (isBetter(group, name, step)) changed = true
    if (!changed) break
  }
  return copyOf(numbers)
}

const today = copyOf(numbers)
const before = judge(pictures)
const isIn = (fold: string) => (one: { readonly set: string }) => one.set === fold
const heldOut: Judged[] = []
for (const [fold, other] of [
  ['fold 1', 'fold 2'],
  ['fold 2', 'fold 1'],
] as const) {
  use(search(pictures.filter(isIn(other)), today))
  heldOut.push(...judge(pictures.filter(isIn(fold))))
}
const fitted = search(pictures, today)
const after = judge(pictures)
const errors = [
  { what: 'cost of a window', before: costOf(before).toFixed(4), after: `${costOf(heldOut).toFixed(4)} held out` },
  { what: 'kept / whole / lost, %', before: summariseJudged(before), after: `${summariseJudged(heldOut)}, held out` },
]
for (const { what, before, after } of errors) console.log(`${what}: ${before} before, ${after} after`)
console.log(`On all pictures, which the new numbers have seen: ${costOf(after).toFixed(4)}; ${summariseJudged(after)}`)

/** The declaration in use, with its comments, and the new numbers. */
const path = join(import.meta.dirname, '../../src/attention/parts/crop.fitted.ts')
const text = readFileSync(path, 'utf8')
const declaration = text.slice(text.indexOf('/** Weights of what a window shows. */')).trimEnd()
const body = Object.entries(fitted).reduce((all, [group, fields]) => {
  const list = Object.entries(fields).map(([name, value]) => `${name}: ${Number(value.toPrecision(2))}`)
  return all.replace(new RegExp(`(\\n {2}${group}: ){[^}]*}`), `$1{ ${list.join(', ')} }`)
}, declaration)
console.log(body)
if (values.write)
  console.log(
    `Wrote ${writeFitted({ path, command: 'npm run fit:crop', files: pictures.map(({ file }) => file), errors, body })}.`,
  )
