import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import type { Box, Raster } from '../../src/core/image.ts'
import type { Rectangle } from './labels.ts'

/** px of a cell's side, and images on a sheet. */
const CELL = 240
const ROWS = 7

/** An image with a window for each shape. */
export interface Row {
  readonly file: string
  readonly image: Raster
  readonly windows: readonly Box[]
  readonly boxes: readonly Rectangle[]
}

const rect = ([x, y, width, height]: Rectangle, style: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${style}/>`

/** One image, darkened outside the window; labels in magenta. */
const cell = async ({ image, boxes }: Row, window: Box): Promise<Buffer> => {
  const { data, ...raw } = image
  const scale = (CELL - 6) / Math.max(raw.width, raw.height)
  const size = {
    width: Math.max(1, Math.round(raw.width * scale)),
    height: Math.max(1, Math.round(raw.height * scale)),
  }
  const { left, top, width, height } = window
  const outside = `M0 0h${raw.width}v${raw.height}h${-raw.width}zM${left} ${top}v${height}h${width}v${-height}z`
  const marks = boxes.map((box) => rect(box, `fill="none" stroke="#f0f" stroke-width="${1.5 / scale}"`)).join('')
  const frame = rect([left, top, width, height], `fill="none" stroke="#0f0" stroke-width="${3 / scale}"`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${raw.width} ${raw.height}" preserveAspectRatio="none"><path d="${outside}" fill="#000" fill-opacity=".55"/>${frame}${marks}</svg>`
  return sharp(data, { raw })
    .resize(size.width, size.height, { fit: 'fill' })
    .composite([{ input: Buffer.from(svg) }])
    .png()
    .toBuffer()
}

/** Writes contact sheets, a row for each image and a column for each shape. */
export const writeSheets = async (folder: string, name: string, rows: readonly Row[]): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  for (let first = 0; first < rows.length; first += ROWS) {
    const part = rows.slice(first, first + ROWS)
    const cells = part.flatMap((row, y) =>
      row.windows.map(async (window, x) => ({ input: await cell(row, window), left: x * CELL, top: y * CELL })),
    )
    const [{ windows }] = part as [Row]
    const create = {
      width: windows.length * CELL,
      height: part.length * CELL,
      channels: 3,
      background: '#333',
    } as const
    const file = join(folder, `${name}-${first / ROWS + 1}.png`)
    await sharp({ create })
      .composite(await Promise.all(cells))
      .png()
      .toFile(file)
    process.stdout.write(`${file}: ${part.map((row) => basename(row.file)).join(' ')}\n`)
  }
}
