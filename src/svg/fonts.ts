import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FONT_FILES = new Set(['.ttf', '.otf', '.ttc', '.pfb', '.pcf'])

/** fontconfig's default directories on Linux. */
const SYSTEM_DIRECTORIES = (): string[] => [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local/share'), 'fonts'),
  join(homedir(), '.fonts'),
]

/** Whether a directory contains a font at any depth. Links to directories are not followed, so it ends. */
export const holdsFont = async (directory: string): Promise<boolean> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  if (entries.some((entry) => FONT_FILES.has(extname(entry.name).toLowerCase()))) return true
  for (const entry of entries) {
    if (entry.isDirectory() && (await holdsFont(join(directory, entry.name)))) return true
  }
  return false
}

/** The bundled DejaVu fonts. Slanted serif and monospace are synthesised from the upright ones. */
export const BUNDLED_FONTS = [
  'DejaVuSans',
  'DejaVuSans-Bold',
  'DejaVuSans-BoldOblique',
  'DejaVuSans-Oblique',
  'DejaVuSansMono',
  'DejaVuSansMono-Bold',
  'DejaVuSerif',
  'DejaVuSerif-Bold',
] as const

const PACKED = fileURLToPath(new URL('../../assets/fonts', import.meta.url))

/** The copies in the package, or in a checkout the dependency that they are copied from. */
const bundledDirectory = (): string =>
  existsSync(PACKED)
    ? PACKED
    : join(dirname(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/package.json'))), 'ttf')

const alias = (generic: string, family: string): string =>
  `<alias><family>${generic}</family><prefer><family>${family}</family></prefer></alias>`

const configuration = (fonts: string, cache: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir>
${alias('sans-serif', 'DejaVu Sans')}${alias('serif', 'DejaVu Serif')}${alias('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`

/** Writes a fontconfig file with only the bundled DejaVu fonts. Returns its path. */
export const writeFontConfiguration = async (): Promise<string> => {
  const directory = join(tmpdir(), `whittle-fonts-${process.getuid?.() ?? 0}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'fonts.conf')
  await writeFile(path, configuration(bundledDirectory(), directory))
  return path
}

const provide = async (): Promise<void> => {
  if (process.platform !== 'linux') return
  if (process.env['FONTCONFIG_FILE'] !== undefined || process.env['FONTCONFIG_PATH'] !== undefined) return
  for (const directory of SYSTEM_DIRECTORIES()) if (await holdsFont(directory)) return
  process.env['FONTCONFIG_FILE'] = await writeFontConfiguration()
}

let provided: Promise<void> | undefined

/** Ensures before the first drawing that text has a font: the bundled one only if the machine has none. */
export const provideFonts = (): Promise<void> => {
  // A read-only machine draws without text rather than not at all.
  provided ??= provide().catch(() => undefined)
  return provided
}
