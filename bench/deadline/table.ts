import type { Timed } from './cpu-clock.ts'

/** One image in one format: without haste, at each timeout, and sharp's. */
export interface Hurried {
  readonly file: string
  readonly format: string
  readonly unhurried: Timed
  readonly hurried: readonly (Timed & { readonly seconds: number })[]
  readonly peer: { readonly bytes: number; readonly ms: number } | undefined
}

const medianOf = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const cell = (ratios: readonly number[]): string => `${medianOf(ratios).toFixed(2)}; ${Math.max(...ratios).toFixed(2)}`

/** Lines of a Markdown table: bytes over those without haste, median and worst, by format and timeout. */
export const tableOf = (rows: readonly Hurried[]): readonly string[] => {
  const seconds = rows[0]?.hurried.map((one) => one.seconds) ?? []
  const head = ['median; worst', 'images', ...seconds.map((one) => `${one} s`), "sharp's bytes", "sharp's CPU ms"]
  const lines = [...new Set(rows.map(({ format }) => format))].map((format) => {
    const own = rows.filter((row) => row.format === format)
    const ratios = seconds.map((_, at) =>
      cell(own.map(({ hurried, unhurried }) => hurried[at]!.bytes / unhurried.bytes)),
    )
    const peers = own.flatMap(({ peer, unhurried }) => (peer === undefined ? [] : [{ ...peer, unhurried }]))
    const beside =
      peers.length === 0
        ? ['', '']
        : [cell(peers.map(({ bytes, unhurried }) => bytes / unhurried.bytes)), cell(peers.map(({ ms }) => ms))]
    return [format, `${own.length}`, ...ratios, ...beside]
  })
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)
}

/** Share of the bytes that two runs of one search may differ by. */
const SAME = 1.001

/** Results that are larger with more time although the earlier one kept the same bounds. */
export const moreTimeMoreBytes = (rows: readonly Hurried[]): readonly string[] =>
  rows.flatMap(({ file, format, hurried, unhurried }) => {
    const steps = [...hurried, { ...unhurried, seconds: Number.POSITIVE_INFINITY }]
    return steps.slice(1).flatMap((later, at) => {
      const earlier = steps[at]!
      const isWorse = later.bytes > earlier.bytes * SAME && (earlier.meetsTarget || !later.meetsTarget)
      return isWorse
        ? [
            `more time, more bytes: ${file} ${format}, ${earlier.seconds} s ${earlier.bytes}, ${later.seconds} s ${later.bytes}`,
          ]
        : []
    })
  })
