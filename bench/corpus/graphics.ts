import { toPixels } from '../../src/raster/raw.ts'
import { type Measured, type OurRow, ourRow } from './measure.ts'
import { GRAPHIC_PEERS } from './peers.ts'
import type { Bar } from './plot.ts'
import { timed } from './timed.ts'

/** One drawing or screenshot, measured. */
export interface GraphicRow {
  readonly file: string
  readonly source: number
  readonly goal: number
  readonly ours: OurRow
  readonly peers: readonly {
    readonly name: string
    readonly bytes: number
    readonly score: number
    readonly ms: number
  }[]
}

export const measureGraphic = async (measured: Measured): Promise<GraphicRow> => {
  const { file, asked, reference, goal } = measured
  const peers = []
  for (const { name, usual, encode } of GRAPHIC_PEERS) {
    const { ms, value } = await timed(() => encode(asked.pixels, usual))
    peers.push({ name, bytes: value.length, score: reference.compare(await toPixels(value)), ms })
  }
  return { file, source: asked.facts.bytes, goal, ours: ourRow(measured), peers }
}

const total = <T>(of: readonly T[], pick: (one: T) => number): number => of.reduce((sum, one) => sum + pick(one), 0)

/** Results below their goals, or larger than what oxipng makes without loss. */
export const faultyGraphics = (rows: readonly GraphicRow[]): readonly string[] =>
  rows
    .filter(({ ours, goal, peers }) => {
      const oxipng = peers.find(({ name }) => name.startsWith('oxipng'))
      return ours.score < goal || (oxipng !== undefined && ours.bytes > oxipng.bytes)
    })
    .map(({ file }) => file)

/** One line a way: bytes in terms of the sources', images below the goal, CPU in all. */
export const summariseGraphics = (rows: readonly GraphicRow[]) => {
  const sources = total(rows, ({ source }) => source)
  const peers = GRAPHIC_PEERS.map(({ name }, at) => ({
    way: name,
    'of the sources': total(rows, ({ peers }) => peers[at]!.bytes) / sources,
    'below the goal': rows.filter(({ goal, peers }) => peers[at]!.score < goal).length,
    'smaller than ours': rows.filter(({ ours, peers }) => peers[at]!.bytes < ours.bytes).length,
    'CPU s': total(rows, ({ peers }) => peers[at]!.ms) / 1000,
  }))
  const ours = {
    way: 'Whittle',
    'of the sources': total(rows, (row) => row.ours.bytes) / sources,
    'below the goal': rows.filter((row) => row.ours.score < row.goal).length,
    'smaller than ours': 0,
    'CPU s': total(rows, (row) => row.ours.cpu) / 1000,
  }
  return [ours, ...peers]
}

/** Bytes in terms of the sources'. */
export const graphicBars = (lines: ReturnType<typeof summariseGraphics>): readonly Bar[] =>
  lines.map((line) => ({
    name: line['below the goal'] === 0 ? line.way : `${line.way} (${line['below the goal']} miss)`,
    value: line['of the sources'],
    ours: line.way === 'Whittle',
  }))
