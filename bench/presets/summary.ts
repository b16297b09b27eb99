/** One image in a forced format at a preset. */
export interface FormatReading {
  readonly file: string
  readonly category: 'photographs' | 'drawings'
  readonly quality: string
  readonly format: string
  readonly bytes: number
  /** Our answer to the same request without `format`. */
  readonly free: { readonly format: string; readonly bytes: number }
  /** Our bytes in terms of sharp's default encoder of this format at our SSIMULACRA and at our Butteraugli norm; NaN beyond its settings. */
  readonly equalSsimulacra: number
  readonly equalButteraugli: number
  readonly isLossless: boolean
  readonly isMissed: boolean
}

/** A row of the table: medians, the worst ratio to our free answer, and counts. */
export type PresetRow = Readonly<Record<string, string | number>>

const rounded = (value: number): number => Number(value.toFixed(2))

/** One row for each category, format and preset, in the order in which they were read. */
export const summaryOf = (
  readings: readonly FormatReading[],
  median: (values: readonly number[]) => number,
): readonly PresetRow[] => {
  const groups = Map.groupBy(readings, ({ category, format, quality }) => `${category} ${format} ${quality}`)
  return [...groups].map(([name, group]) => {
    const ratios = group.map(({ bytes, free }) => bytes / free.bytes)
    const finite = (pick: (reading: FormatReading) => number): number =>
      rounded(median(group.map(pick).filter(Number.isFinite)))
    return {
      group: name,
      images: group.length,
      'of our free answer, median': rounded(median(ratios)),
      worst: rounded(Math.max(...ratios)),
      'of sharp at equal SSIMULACRA': finite(({ equalSsimulacra }) => equalSsimulacra),
      'at equal Butteraugli': finite(({ equalButteraugli }) => equalButteraugli),
      lossless: group.filter(({ isLossless }) => isLossless).length,
      missed: group.filter(({ isMissed }) => isMissed).length,
    }
  })
}
