import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

/** Side of a cell in px. */
const CELL = 512
/** Cells whose contents differ: every size repeats the same ones, so that sizes differ in nothing else. */
const CELLS = 14
/** Columns of an image for each row, as photographs have. */
const ASPECT = 4 / 3

/** The middle of an image of a folder, as a cell in RGB; undefined where a side is too short. */
const cellOf = async (path: string): Promise<Buffer | undefined> => {
  const { width = 0, height = 0 } = await sharp(path).metadata()
  if (width < CELL || height < CELL) return undefined
  const middle = { left: (width - CELL) >> 1, top: (height - CELL) >> 1, width: CELL, height: CELL }
  return sharp(path).extract(middle).flatten({ background: 'white' }).toColourspace('srgb').raw().toBuffer()
}

/** Cells of a folder's images, evenly chosen from those that are large enough. */
const cellsOf = async (folder: string): Promise<readonly Buffer[]> => {
  const paths = readdirSync(folder).filter((name) => /\.(png|jpe?g)$/i.test(name))
  const found = await Promise.all(paths.map((name) => cellOf(join(folder, name))))
  const cells = found.filter((cell) => cell !== undefined)
  if (cells.length === 0) throw new Error(`${folder} has no image of ${CELL} x ${CELL} px`)
  const count = Math.min(CELLS, cells.length)
  return Array.from({ length: count }, (_, at) => cells[Math.floor((at * cells.length) / count)]!)
}

/** Pixels of a mosaic, RGB. */
export interface Mosaic {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

/** Lays a folder's cells out in turns to an image of about `megapixels`. */
export const mosaicOf = async (folder: string, megapixels: number): Promise<Mosaic> => {
  const cells = await cellsOf(folder)
  const width = Math.round(Math.sqrt(megapixels * 1e6 * ASPECT))
  const height = Math.round((megapixels * 1e6) / width)
  const across = Math.ceil(width / CELL)
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++)
    for (let column = 0; column < across; column++) {
      const cell = cells[(Math.floor(y / CELL) * across + column) % cells.length]!
      const from = (y % CELL) * CELL * 3
      const left = column * CELL
      cell.copy(data, (y * width + left) * 3, from, from + Math.min(CELL, width - left) * 3)
    }
  return { data, width, height }
}
