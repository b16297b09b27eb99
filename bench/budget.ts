/** How well `max-bytes` is kept and used: `npm run bench:budget -- --help`. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { type OptimisedImage, openOptimiser } from '../src/library/optimiser.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { spread } from './corpus/spread.ts'

const HELP = `How well max-bytes is kept: results above their budget, the share of it that they use, and results that another result
within the budget beats by more than a point of SSIMULACRA 2.1. Each image has 220 px at most, and 85, 65 or 45 % of the
bytes that its preset takes. Results below 1,000 bytes are skipped.

Usage: npm run bench:budget -- <folder> [<count>]

  <count>  PNG and JPEG images, spread evenly over the folder and its subfolders (60)
  --help   says this
`

const SIDE = 220
const LISTS = ['full,format=webp', 'full,format=jpeg', 'full'] as const
const SHARES = [0.85, 0.65, 0.45] as const
/** Points that another result of ours within the budget may be better. */
const POINTS = 1
/** Files below this number of bytes are mostly headers: nothing can be saved in them. */
const MIN_BYTES = 1000

const { positionals } = readCommand(HELP, { allowPositionals: true })
const [folder] = requirePaths(HELP, positionals.slice(0, 1))
const count = readNumber(HELP, 'The number of files', positionals[1] ?? '60')

const found = (await readdir(folder, { recursive: true })).filter((name) => /\.(png|jpe?g)$/i.test(name)).toSorted()
const files = spread(found, count)

const directory = await mkdtemp(join(tmpdir(), 'budget-'))
await using optimiser = openOptimiser({ workers: 1 })

const fills: number[] = []
const scores: { readonly file: string; readonly points: number }[] = []
let [over, sized] = [0, 0]

/** The best score of our usual results within the budget. */
const rival = async (path: string, list: string, budget: number): Promise<number> => {
  const formats = list === 'full' ? ['full,format=jpeg', 'full,format=png'] : [list]
  const results: OptimisedImage[] = []
  for (const format of formats)
    for (const quality of ['low', 'medium', 'high'])
      results.push(await optimiser.optimiseFile(path, `${format},quality=${quality}`))
  return Math.max(0, ...results.filter(({ bytes }) => bytes.length <= budget).map(({ score = 0 }) => score))
}

for (const [i, file] of files.entries()) {
  const path = join(directory, `${i}.png`)
  const image = sharp(join(folder, file)).rotate().resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
  const isImage = await image
    .flatten({ background: '#fff' })
    .png()
    .toFile(path)
    .then(
      () => true,
      () => false,
    )
  if (!isImage) continue
  const list = LISTS[i % LISTS.length]!
  const quality = i % 2 === 0 ? 'medium' : 'high'
  const free = await optimiser.optimiseFile(path, `${list},quality=${quality}`)
  if (free.bytes.length < MIN_BYTES) continue
  const budget = Math.floor(free.bytes.length * SHARES[Math.floor(i / 3) % SHARES.length]!)
  const kept = await optimiser.optimiseFile(path, `${list},quality=${quality},max-bytes=${budget}`)
  if (kept.bytes.length > budget) {
    over += 1
    console.log(
      `above: ${file} ${list},quality=${quality},max-bytes=${budget}: ${kept.bytes.length} bytes, ${kept.width} of ${free.width} px`,
    )
  }
  fills.push(kept.bytes.length / budget)
  if (kept.width !== free.width) sized += 1
  else scores.push({ file, points: (await rival(path, list, budget)) - (kept.score ?? 0) })
}
await rm(directory, { recursive: true })

const worse = scores.filter(({ points }) => points > POINTS)
const middle = fills.toSorted((a, b) => a - b)[fills.length >> 1] ?? Number.NaN
console.log(
  `${fills.length} images: ${over} above the budget, ${sized} at a smaller size, ${Math.round(middle * 1000) / 10} % of the budget used (median)`,
)
console.log(
  `${worse.length} of ${scores.length} where another result within the budget scores more than ${POINTS} point better`,
)
for (const { file, points } of worse) console.log(`  ${file}: ${points.toFixed(2)}`)
