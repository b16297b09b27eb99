/** A picture of the presets side by side: `node bench/presets.ts --help`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { optimise } from '../src/library/whittle.ts'
import { endWithHelp, readCommand } from './corpus/help.ts'

const HELP = `The presets side by side: a detail of docs/sample.png at 200 % as it is, at high, medium and low, in one picture (WebP). Prints
what each weighs and scores.

Usage: node bench/presets.ts <file>

  <file>  where the picture goes; that of the documents is docs/quality-presets.webp
  --help  says this
`

const SOURCE = fileURLToPath(new URL('../docs/sample.png', import.meta.url))
/** The eye of the red bird: texture, contrast and a smooth beak, in px of the source. */
const DETAIL = { left: 425, top: 130, width: 150, height: 190 }
const GAP = 6

const detailOf = (image: Uint8Array): Promise<Buffer> =>
  sharp(image)
    .extract(DETAIL)
    .resize({ width: DETAIL.width * 2, kernel: 'nearest' })
    .png()
    .toBuffer()

const [out] = readCommand(HELP, { allowPositionals: true }).positionals
if (out === undefined) endWithHelp(HELP, false)
const source = readFileSync(SOURCE)
const details = [await detailOf(source)]
for (const quality of ['high', 'medium', 'low'] as const) {
  const result = await optimise(source, { quality, format: 'jpeg' })
  details.push(await detailOf(result.bytes))
  process.stdout.write(
    `${quality}: ${result.bytes.length} bytes, SSIMULACRA 2.1 ${result.score?.toFixed(1)}, Butteraugli ${result.butteraugli?.toFixed(2)}\n`,
  )
}
const step = DETAIL.width * 2 + GAP
await sharp({
  create: { width: step * details.length - GAP, height: DETAIL.height * 2, channels: 3, background: '#8a8376' },
})
  .composite(details.map((input, at) => ({ input, left: at * step, top: 0 })))
  .webp({ quality: 96, smartSubsample: true })
  .toFile(out)
