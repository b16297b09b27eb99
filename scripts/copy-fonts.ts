/** Copies into `assets/fonts/` what of the DejaVu fonts SVG is drawn with on machines without any: a third of them. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLED_FONTS } from '../src/svg/fonts.ts'

const OUTPUT = fileURLToPath(new URL('../assets/fonts', import.meta.url))
const PACKAGE = dirname(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/package.json')))

mkdirSync(OUTPUT, { recursive: true })
for (const name of BUNDLED_FONTS) copyFileSync(`${PACKAGE}/ttf/${name}.ttf`, `${OUTPUT}/${name}.ttf`)
copyFileSync(`${PACKAGE}/LICENSE`, `${OUTPUT}/LICENSE`)
