import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LossyPreset } from '../../src/plan/targets.ts'
import { endWithError, readCommand, readNumber, requirePaths } from '../corpus/help.ts'

const HELP = `What the eye sees of our results and of peers': both metrics, colour of tiles, contours and bytes, and the worst places side by side.
The real engine makes ours. Peers that take a quality are bracketed and interpolated to exactly equal quality, by each metric.

Usage: npm run bench:eye -- [options] <folder or file> ...

  --quality PRESET   low, medium or high (medium)
  --format FORMAT    what is asked for (jpeg; auto: what is smallest)
  --limit N          files a folder (1000)
  --peers NAMES      comma-separated: sharp, mozjpeg, palette80, palette90, oxipng4, webp, webp6, avif, cjpegli420, cjpegli444,
                     jxl (which needs: npm install --no-save @jsquash/jxl)
                     (with --format jpeg: sharp,mozjpeg; else mozjpeg,palette80,palette90)
  --cjpegli PATH     libjxl's cjpegli, for the peers of that name
  --psnr-hvs         PSNR-HVS (luma) too, at equal bytes
  --referees         at equal figures of metrics that nothing is fitted to, too: S-CIELAB, CIELAB after a blur, MS-SSIM, VIF, GMSD, PSNR-HVS-M
  --dssim PATH       the same for DSSIM, by its program (cargo install dssim)
  --sheets DIR       writes contact sheets (PNG): the twelve worst places by each measure, source | ours | first peer,
                     at 100 % and at 200 %; the peer as large as ours, or at its usual setting
  --worst FILE       writes one picture (PNG, or WebP without loss) of the twelve worst places of all, one an image, and prints what they are
  --json FILE        writes the figures
  --help             says this
`

const OPTIONS = {
  quality: { type: 'string', default: 'medium' },
  format: { type: 'string', default: 'jpeg' },
  limit: { type: 'string', default: '1000' },
  peers: { type: 'string' },
  cjpegli: { type: 'string' },
  'psnr-hvs': { type: 'boolean', default: false },
  referees: { type: 'boolean', default: false },
  dssim: { type: 'string' },
  sheets: { type: 'string' },
  worst: { type: 'string' },
  json: { type: 'string' },
} as const

const STILL = /\.(png|jpe?g)$/i

/** At most `limit` images of a folder whose names fit `pattern`, or the file itself if its name does. */
export const imagesIn = (path: string, limit: number, pattern = STILL): string[] => {
  if (statSync(path).isFile()) return pattern.test(path) ? [path] : []
  const names = readdirSync(path).filter((name) => pattern.test(name))
  return names.slice(0, limit).map((name) => join(path, name))
}

const isPreset = (name: string): name is LossyPreset => ['low', 'medium', 'high'].includes(name)

/** The preset that an option names. Ends the process with 2 for another text. */
export const readPreset = (name: string, option = '--quality'): LossyPreset =>
  isPreset(name) ? name : endWithError(`${option} takes low, medium or high, not "${name}"; --help lists what there is`)

/** Measurements to make and the file for figures; ends the process after `--help`. */
export const readArguments = () => {
  const { values, positionals } = readCommand(HELP, { allowPositionals: true, options: OPTIONS })
  requirePaths(HELP, positionals)
  const { format } = values
  const quality = readPreset(values.quality)
  const files = positionals.flatMap((path) => imagesIn(path, readNumber(HELP, '--limit', values.limit)))
  const usual = format === 'jpeg' ? 'sharp,mozjpeg' : 'mozjpeg,palette80,palette90'
  const options = `quality=${quality},full${format === 'auto' ? '' : `,format=${format}`}`
  return { ...values, quality, files, options, peers: (values.peers ?? usual).split(',') }
}
