import { deflateSync } from 'node:zlib'
import { type DeflateEffort, deflateHard, FAST_DEFLATE, MAX_DEFLATE_BYTES } from '../deflate.ts'
import type { Indexed } from './remap.ts'
import { isEvenGrey, type Layout, layOutIndexed, USUAL } from './write-png.ts'

/** Pixels up to which every layout is tried. */
const SMALL_PIXELS = 1e5
const FILTERS = ['none', 'up'] as const
const LAYOUTS: readonly Layout[] = FILTERS.flatMap((filter) =>
  (['joined', 'sorted'] as const).flatMap((numbers) => [false, true].map((whole) => ({ filter, numbers, whole }))),
)
const FEW_LAYOUTS: readonly Layout[] = FILTERS.map((filter) => ({ ...USUAL, filter }))
const GREY_LAYOUTS: readonly Layout[] = FEW_LAYOUTS.map((layout) => ({ ...layout, numbers: 'grey' }))
/** How layouts are compared. */
const COMPARED = {
  /** zlib's level. */
  level: 9,
  /** This number of the best are deflated hard. */
  best: 3,
} as const

/** Effort by bytes: about a second on an idle core, up to nine megabytes; up to two seconds for adversarial input. */
const effortFor = (bytes: number): DeflateEffort => {
  if (bytes <= 1.2e6) return { rounds: 15, depth: 300 }
  return bytes <= 4e6 ? { rounds: 8, depth: 200 } : FAST_DEFLATE
}

/** Writes an indexed image as the smallest PNG that can be found in reasonable time; `fast` in a third of it. */
export const writeSmallestPng = async (image: Indexed, fast = false): Promise<Uint8Array> => {
  const isSmall = image.width * image.height <= SMALL_PIXELS
  const layouts = [...(isSmall ? LAYOUTS : FEW_LAYOUTS), ...(isEvenGrey(image) ? GREY_LAYOUTS : [])]
  const quick = layouts
    .map((layout) => {
      const { rows, finish } = layOutIndexed(image, layout)
      return { layout, file: finish(deflateSync(rows, { level: COMPARED.level, memLevel: 9 })) }
    })
    .toSorted((one, other) => one.file.length - other.file.length)
  let least = quick[0]!.file
  for (const { layout } of quick.slice(0, isSmall && !fast ? COMPARED.best : 1)) {
    const { rows, finish } = layOutIndexed(image, layout)
    if (rows.length > MAX_DEFLATE_BYTES) continue
    const file = finish(await deflateHard(rows, fast ? FAST_DEFLATE : effortFor(rows.length)))
    if (file.length < least.length) least = file
  }
  return least
}
