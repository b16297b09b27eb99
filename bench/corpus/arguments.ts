import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readCommand, readNumber, requirePaths } from './help.ts'

const HELP = `What the guarantee costs in bytes and CPU on folders of images, against what other servers and tools make of the same
pixels in the same process. Photographs (and JPEG sources) are made JPEG, drawings and screenshots what is smallest.

Usage: npm run bench:corpus -- [options] [<folder> ...]

  --quality PRESET      low, medium or high (medium)
  --kind KIND           photographs or graphics; else folders named graphic, screen or icon hold graphics
  --limit N             files a folder (1000)
  --butteraugli PATH    asks Debian's butteraugli_main (package libjxl-devtools) for a second opinion on photographs
  --presets             instead of all that: every file at low, medium and high, whose scores and bytes must grow
  --json FILE           writes the figures
  --plot FILE.svg       draws them
  --help                says this

The folder is ../shared/corpus/photo-png unless others are given.
Photographs are compared in two ways:
  floor         our bytes in all, each image at its target, against a peer's at the lowest fixed quality at which every
                image is at its target; for all images and for the 95 % that need least
  equal score   each image against the peer's bytes at the very score that we reached
Scores are the exact metric's, of the returned bytes, decoded. CPU is that of all threads, decoding the source apart.
`

const OPTIONS = {
  quality: { type: 'string', default: 'medium' },
  kind: { type: 'string' },
  limit: { type: 'string', default: '1000' },
  butteraugli: { type: 'string' },
  presets: { type: 'boolean', default: false },
  json: { type: 'string' },
  plot: { type: 'string' },
} as const

/** Measurements to make and the file for figures; ends the process after `--help`. */
export const readArguments = () => {
  const { values, positionals } = readCommand(HELP, { allowPositionals: true, options: OPTIONS })
  const folders = positionals.length > 0 ? positionals : ['../shared/corpus/photo-png']
  const files = requirePaths(HELP, folders).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /\.(png|jpe?g)$/i.test(name))
      .slice(0, readNumber(HELP, '--limit', values.limit))
      .map((name) => join(folder, name)),
  )
  const isGraphic = (file: string): boolean =>
    values.kind === undefined ? /graphic|screen|icon/i.test(basename(dirname(file))) : values.kind === 'graphics'
  return { ...values, files, isGraphic }
}
