import { TABLE_FAMILIES, type TableRow } from './quant-table-data.ts'

/** Chroma at full size, halved across, or halved both ways. */
export type Subsampling = '4:4:4' | '4:2:2' | '4:2:0'

/** Three tables of steps in zigzag order: Y, Cb, Cr; not rounded. */
export type QuantTables = readonly [Float64Array, Float64Array, Float64Array]

/** A row with the natural logarithms of its steps. */
const parse = (row: TableRow) => ({
  quality: row.quality,
  logs: [row.y, row.cb, row.cr].map((text) => text.split(' ').map((step) => Math.log(Number(step)))),
})

const FAMILIES = {
  '4:2:0': TABLE_FAMILIES['4:2:0'].map(parse),
  '4:2:2': TABLE_FAMILIES['4:2:0'].map(parse),
  '4:4:4': TABLE_FAMILIES['4:4:4'].map(parse),
}

/**
 * The tables at `quality`, which is continuous and not bound to 0..100: between the family's rows they are interpolated by
 * their logarithms, beyond the last ones that slope goes on.
 */
export const quantTablesAt = (quality: number, subsampling: Subsampling): QuantTables => {
  const rows = FAMILIES[subsampling]
  const above = rows.findIndex((row) => row.quality > quality)
  const i = above < 0 ? rows.length - 1 : Math.max(1, above)
  const [a, b] = [rows[i - 1]!, rows[i]!]
  const part = (quality - a.quality) / (b.quality - a.quality)
  const between = (c: 0 | 1 | 2): Float64Array => {
    const [low, high] = [a.logs[c]!, b.logs[c]!]
    const steps = new Float64Array(low.length)
    for (let k = 0; k < steps.length; k++) steps[k] = Math.exp(low[k]! * (1 - part) + high[k]! * part)
    return steps
  }
  return [between(0), between(1), between(2)]
}
