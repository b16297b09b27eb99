import { PNG_FILTER } from '../../core/png-filters.ts'

const FILTERS = Object.values(PNG_FILTER)
type Filter = (typeof FILTERS)[number]

const paeth = (a: number, b: number, c: number): number => {
  const [toA, toB, toC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  return toA <= toB && toA <= toC ? a : toB <= toC ? b : c
}

const predict = (filter: Filter, left: number, up: number, corner: number): number => {
  if (filter === PNG_FILTER.left) return left
  if (filter === PNG_FILTER.up) return up
  if (filter === PNG_FILTER.mean) return (left + up) >> 1
  return filter === PNG_FILTER.paeth ? paeth(left, up, corner) : 0
}

interface Rows {
  readonly bytes: Uint8Array
  /** Bytes of a row with the one of its filter. */
  readonly stride: number
  readonly back: number
}

const filterRow = ({ bytes, stride, back }: Rows, row: number, filter: Filter, out: Uint8Array): void => {
  const start = row * stride
  out[0] = filter
  for (let i = 1; i < stride; i++) {
    const left = i > back ? bytes[start + i - back]! : 0
    const up = row > 0 ? bytes[start - stride + i]! : 0
    const corner = i > back && row > 0 ? bytes[start - stride + i - back]! : 0
    out[i] = bytes[start + i]! - predict(filter, left, up, corner)
  }
}

/** How much a filtered row is likely to cost: the sum of its bytes as signed numbers (specification, section 12.7). */
const costOfRow = (row: Uint8Array): number => {
  let sum = 0
  for (let i = 1; i < row.length; i++) sum += row[i]! < 128 ? row[i]! : 256 - row[i]!
  return sum
}

/** Rows filtered each by what makes its bytes small. */
export const filterRows = (rows: Rows): Uint8Array => {
  const { bytes, stride } = rows
  const out = new Uint8Array(bytes.length)
  const filteredRows = FILTERS.map(() => new Uint8Array(stride))
  for (let row = 0; row < bytes.length / stride; row++) {
    let best = { cost: Number.POSITIVE_INFINITY, row: filteredRows[0]! }
    for (const filter of FILTERS) {
      const filtered = filteredRows[filter]!
      filterRow(rows, row, filter, filtered)
      const cost = costOfRow(filtered)
      if (cost < best.cost) best = { cost, row: filtered }
    }
    out.set(best.row, row * stride)
  }
  return out
}
