/**
 * Which share of windows each rule and constant of `crop=auto` changes.
 * Usage: node bench/crop/ablate.ts --records DIRECTORY [--only TEXT] DIRECTORY …
 * The detectors run once per picture; their outputs stay in the files of `--records`.
 */
import { parseArgs } from 'node:util'
import type * as Choose from '../../src/attention/choose-focus.ts'
import type * as Find from '../../src/attention/find-attention.ts'
import type * as Saliency from '../../src/attention/saliency/saliency.ts'
import type { Scene } from '../../src/attention/scene.ts'
import type * as Text from '../../src/attention/text/text.ts'
import { ABLATIONS, type Ablation } from './ablations.ts'
import { type Judged, judgeWindows, summariseJudged } from './judge.ts'
import { openNetworks, type Records, record, recordingDetectors } from './recorded.ts'
import { importVariant } from './variant.ts'

const options = { records: { type: 'string' }, only: { type: 'string', default: '' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
if (values.records === undefined)
  throw new Error('Usage: node bench/crop/ablate.ts --records DIRECTORY [--only TEXT] DIRECTORY …')

const networks = await openNetworks()

/** The scene of a picture under a variant of the rules; only what the changed file can change is computed. */
const sceneUnder = async (records: Records, at: number, ablation: Ablation): Promise<Scene> => {
  const { scene } = records.scenes[at]!
  const [folder] = ablation.changes[0]?.file.split('/') ?? ['parts']
  const { changes } = ablation
  if (changes.length === 0 || /^(parts|choose-focus)/.test(folder!)) return scene
  const { views, outputs, image } = records.read(at)
  if (folder === 'text') {
    const { findText } = (await cached('text/text.ts', ablation)) as typeof Text
    return { ...scene, text: findText(views.text) }
  }
  if (folder === 'saliency') {
    const { computeSaliency } = (await cached('saliency/saliency.ts', ablation)) as typeof Saliency
    return { ...scene, saliency: computeSaliency(views.small) }
  }
  const { detect } = (await cached('find-attention.ts', ablation)) as typeof Find
  return { ...scene, ...detect(recordingDetectors(networks, outputs), views, image) }
}

const modules = new Map<string, Promise<unknown>>()
const cached = (module: string, { rule, changes }: Ablation): Promise<unknown> => {
  const key = `${module} ${rule}`
  const known = modules.get(key) ?? importVariant(module, changes)
  modules.set(key, known)
  return known
}

const windowsOf = async (records: Records, ablation: Ablation) => {
  const { chooseFocus } = (await cached('choose-focus.ts', ablation)) as typeof Choose
  const windows = []
  for (const at of records.scenes.keys())
    windows.push(judgeWindows(records.scenes[at]!, await sceneUnder(records, at, ablation), chooseFocus))
  return windows
}

const percent = (share: number): string => (100 * share).toFixed(1)

/** Share of the windows of each set that lie elsewhere by more than 1 % of the side. */
const changedBySet = (before: readonly Judged[], after: readonly Judged[]): Map<string, number> => {
  const pairs = before.map((one, at) => ({
    set: one.set,
    moved: after[at]!.starts.map((start, k) => Math.abs(start - one.starts[k]!) > 0.01),
  }))
  return new Map(
    [...Map.groupBy(pairs, ({ set }) => set)].map(([set, some]) => {
      const moved = some.flatMap((one) => one.moved)
      return [set, moved.filter(Boolean).length / moved.length]
    }),
  )
}

const records = await record(values.records, positionals)
const base = await windowsOf(records, { rule: 'none', changes: [] })
process.stdout.write(`all rules\t\t${summariseJudged(base)}\n`)
for (const ablation of ABLATIONS.filter(({ rule }) => rule.includes(values.only))) {
  const windows = await windowsOf(records, ablation)
  const shares = changedBySet(base, windows)
  const most = Math.max(...shares.values())
  const sets = [...shares].map(([set, share]) => `${set} ${percent(share)}`).join(', ')
  process.stdout.write(`${ablation.rule}\t${percent(most)}\t${summariseJudged(windows)}\t${sets}\n`)
}
