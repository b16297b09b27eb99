/**
 * Records what the reference tool (`butteraugli_main` of Debian's libjxl-devtools 0.7) prints for every pair of a golden
 * folder, as `butteraugli.tsv` next to its `scores.tsv`. Both images are handed over as truecolour PNG without a profile.
 * Usage: node scripts/record-butteraugli.ts [folder]
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AnyRaster } from '../src/core/image.ts'
import { listPairs, openPair } from '../test/golden/butteraugli-pairs.ts'
import { asSharp } from '../test/golden/read-raster.ts'

const folder = process.argv[2] ?? fileURLToPath(new URL('../test/golden/pairs', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'butteraugli-'))

const write = async (image: AnyRaster, name: string): Promise<string> => {
  const file = join(work, name)
  await asSharp(image).png({ palette: false }).toFile(file)
  return file
}

const lines = ['original\tcandidate\tmaximum\t3-norm']
try {
  for (const pair of listPairs(folder)) {
    const { original, candidate } = await openPair(folder, pair)
    const files = [await write(original, 'original.png'), await write(candidate, 'candidate.png')]
    const printed = execFileSync('butteraugli_main', files, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const [, maximum, norm3] = /^([\d.]+)\n3-norm: ([\d.]+)/.exec(printed) ?? []
    if (!maximum || !norm3) throw new Error(`butteraugli_main printed: ${printed}`)
    lines.push([pair.original, pair.candidate, maximum, norm3].join('\t'))
  }
} finally {
  rmSync(work, { recursive: true })
}
writeFileSync(join(folder, 'butteraugli.tsv'), `${lines.join('\n')}\n`)
process.stdout.write(`${lines.length - 1} pairs recorded\n`)
