/** A series of bars. */
export interface Bar {
  readonly name: string
  /** Share of what 1 stands for. */
  readonly value: number
  readonly ours?: boolean
}

const WIDTH = 720
const LEFT = 190
const ROW = 26
const HEAD = 44

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const bar = ({ name, value, ours = false }: Bar, row: number, unit: number): string => {
  const y = HEAD + row * ROW
  const width = Math.max(1, value * unit)
  return (
    `<text x="${LEFT - 8}" y="${y + 15}" text-anchor="end">${escapeXml(name)}</text>` +
    `<rect x="${LEFT}" y="${y + 2}" width="${width.toFixed(1)}" height="${ROW - 8}" rx="2" fill="${ours ? '#2a7d4f' : '#9aa5b1'}"/>` +
    `<text x="${(LEFT + width + 6).toFixed(1)}" y="${y + 15}">${value.toFixed(2)}</text>`
  )
}

/** Horizontal bars as an SVG document, one below the other. */
export const drawBars = (title: string, bars: readonly Bar[]): string => {
  const unit = (WIDTH - LEFT - 60) / Math.max(...bars.map(({ value }) => value))
  const height = HEAD + bars.length * ROW + 8
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#1f2933">` +
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>` +
    `<text x="16" y="26" font-size="15" font-weight="600">${escapeXml(title)}</text>` +
    `${bars.map((one, row) => bar(one, row, unit)).join('')}</svg>\n`
  )
}
