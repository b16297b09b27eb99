/** Whether sharpening after a reduction pays: `node bench/sharpening.ts --help`. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import type { Raster } from '../src/core/image.ts'
import { openSsimulacra2 } from '../src/metric/ssimulacra2/ssimulacra2.ts'
import { targetScore } from '../src/plan/targets.ts'
import { fromPixels } from '../src/raster/raw.ts'
import { ask } from './corpus/ask.ts'
import { geometricMean } from './corpus/floor.ts'
import { readCommand, readNumber, requirePaths } from './corpus/help.ts'
import { openLadder } from './corpus/ladder.ts'
import { PHOTO_PEERS } from './corpus/peers.ts'

const HELP = `Whether sharpening after a reduction pays: the score of the reduced image at the original's size (exact metric), and its bytes as
JPEG at the same target, for screens of 1x, 2x and 3x.

Usage: node bench/sharpening.ts [options] [<folder>]

  --limit N  photographs of the folder (6)
  --help     says this

The folder is ../corpus/photo-png unless another is given.
`

/** Gaussian sigmas of sharp's mild unsharp mask; 0 is none. */
const SIGMAS = [0, 0.4, 0.6, 0.9]
/** Output px per source px. */
const REDUCTIONS = [0.7, 0.5, 0.33]
const DENSITIES = [1, 2, 3] as const

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: { limit: { type: 'string', default: '6' } },
})
const [folder] = requirePaths(HELP, [positionals[0] ?? '../corpus/photo-png'])
const metric = await openSsimulacra2()

const render = async (image: Sharp): Promise<Raster> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: 3, data }
}
const scale = (pixels: Raster, width: number, height: number): Sharp =>
  fromPixels(pixels).resize(width, height, { fit: 'fill', kernel: sharp.kernel.lanczos3 })

const files = readdirSync(folder).slice(0, readNumber(HELP, '--limit', values.limit))
for (const reduction of REDUCTIONS) {
  const found = SIGMAS.map(() => ({ nearness: [] as number[], bytes: DENSITIES.map(() => [] as number[]) }))
  for (const file of files) {
    const { pixels } = await ask(join(folder, file), 'full,format=jpeg')
    using original = metric.prepare(pixels)
    const [width, height] = [Math.round(pixels.width * reduction), Math.round(pixels.height * reduction)]
    for (const [at, sigma] of SIGMAS.entries()) {
      const plain = scale(pixels, width, height)
      const reduced = await render(sigma === 0 ? plain : plain.sharpen({ sigma, m1: 0.5, m2: 1 }))
      found[at]!.nearness.push(original.compare(await render(scale(reduced, pixels.width, pixels.height))))
      using reference = metric.prepare(reduced)
      const ladder = openLadder(PHOTO_PEERS[1]!, reduced, reference)
      for (const [place, density] of DENSITIES.entries())
        found[at]!.bytes[place]!.push(await ladder.bytesAt(targetScore('medium', density)))
    }
  }
  console.log(`reduced to ${reduction}, ${files.length} photographs`)
  console.table(
    found.map(({ nearness, bytes }, at) => ({
      sigma: SIGMAS[at],
      'score against the original': Number((nearness.reduce((sum, one) => sum + one, 0) / nearness.length).toFixed(2)),
      ...Object.fromEntries(
        bytes.map((of, place) => [
          `bytes at ${DENSITIES[place]}x`,
          Number(geometricMean(of.map((one, i) => one / found[0]!.bytes[place]![i]!)).toFixed(3)),
        ]),
      ),
    })),
  )
}
