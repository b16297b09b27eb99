import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Box, Raster } from '../../src/core/image.ts'
import { fromPixels } from '../../src/raster/raw.ts'

/** One bad place: what was measured there, and the same piece of source, ours and a peer's. */
export interface BadPlace {
  readonly label: string
  /** The larger, the worse. */
  readonly badness: number
  /** Its figure in terms of the preset's bound on the whole: what lets places of several measures be compared. */
  readonly ofBound: number
  /** PNG of 128 x 128 px each. */
  readonly pieces: readonly Buffer[]
}

const PIECE = 128
const GAP = 6
const LABEL = 18
const ROWS = 12

/** A piece of 128 px around a box, as far as the image goes; transparency on mid-grey. */
export const cutPiece = async (image: Raster, { left, top, width, height }: Box): Promise<Buffer> => {
  const from = (start: number, length: number, whole: number): number =>
    Math.max(0, Math.min(whole - PIECE, Math.round(start + length / 2 - PIECE / 2)))
  const extent = { width: Math.min(PIECE, image.width), height: Math.min(PIECE, image.height) }
  return fromPixels(image)
    .extract({ left: from(left, width, image.width), top: from(top, height, image.height), ...extent })
    .flatten({ background: '#808080' })
    .resize(PIECE, PIECE, { fit: 'contain', position: 'left top', background: '#404040', kernel: 'nearest' })
    .png()
    .toBuffer()
}

const textOf = (label: string, width: number): Buffer => {
  const safe = label.replace(/[&<>]/g, ' ')
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${LABEL}"><text x="2" y="13" font-family="sans-serif" font-size="12" fill="#fff">${safe}</text></svg>`,
  )
}

/** Writes the worst places of one measure as a PNG: each row source | ours | peer at 100 %, and again at 200 %. */
export const writeSheet = async (directory: string, name: string, places: readonly BadPlace[]): Promise<void> => {
  const worst = places.toSorted((one, other) => other.badness - one.badness).slice(0, ROWS)
  if (worst.length === 0) return
  const count = worst[0]!.pieces.length
  const width = count * (3 * PIECE + 2 * GAP)
  const rowHeight = 2 * PIECE + LABEL + GAP
  const layers = await Promise.all(
    worst.flatMap(({ label, pieces }, row) => [
      Promise.resolve({ input: textOf(label, width), left: 0, top: row * rowHeight }),
      ...pieces.flatMap((piece, column) => [
        Promise.resolve({ input: piece, left: column * (PIECE + GAP), top: row * rowHeight + LABEL }),
        sharp(piece)
          .resize(2 * PIECE, 2 * PIECE, { kernel: 'nearest' })
          .png()
          .toBuffer()
          .then((input) => ({
            input,
            left: count * (PIECE + GAP) + column * (2 * PIECE + GAP),
            top: row * rowHeight + LABEL,
          })),
      ]),
    ]),
  )
  mkdirSync(directory, { recursive: true })
  await sharp({ create: { width, height: worst.length * rowHeight, channels: 3, background: '#202020' } })
    .composite(layers)
    .png()
    .toFile(join(directory, `${name}.png`))
}

const DETAIL = 96
const SHOWN = 2 * DETAIL

const detailOf = (piece: Buffer): Promise<Buffer> =>
  sharp(piece)
    .extract({ left: (PIECE - DETAIL) / 2, top: (PIECE - DETAIL) / 2, width: DETAIL, height: DETAIL })
    .resize(SHOWN, SHOWN, { kernel: 'nearest' })
    .png()
    .toBuffer()

/** The worst places of all, one an image, numbered, at 200 % in two columns: source | ours | peer. Returns their labels. */
export const writeWorst = async (file: string, places: readonly BadPlace[]): Promise<string[]> => {
  const worst = places.toSorted((one, other) => other.ofBound - one.ofBound).slice(0, ROWS)
  const across = (worst[0]?.pieces.length ?? 1) * (SHOWN + GAP) + 2 * GAP
  const down = SHOWN + LABEL + GAP
  const layers = await Promise.all(
    worst.flatMap(({ pieces }, i) => {
      const [left, top] = [(i % 2) * across, Math.floor(i / 2) * down]
      return [
        Promise.resolve({ input: textOf(`${i + 1}`, 40), left, top }),
        ...pieces.map(async (piece, column) => ({
          input: await detailOf(piece),
          left: left + column * (SHOWN + GAP),
          top: top + LABEL,
        })),
      ]
    }),
  )
  const size = { width: 2 * across, height: Math.ceil(worst.length / 2) * down }
  await sharp({ create: { ...size, channels: 3, background: '#202020' } })
    .composite(layers)
    .toFormat(file.endsWith('.webp') ? 'webp' : 'png', { lossless: true, effort: 6, palette: false })
    .toFile(file)
  return worst.map(({ label }, i) => `${i + 1}. ${label}`)
}
