import type { LossyPreset } from '../../src/plan/targets.ts'
import { escapeHtml } from '../../src/support/escape-html.ts'

/** One format's contest. */
export interface Contest {
  readonly format: string
  readonly images: number
  /** Images of ours that break a bound without a Warning. */
  readonly broken: number
  /** How many images break each bound without a Warning. */
  readonly bounds: string
  /** A line for each encoder: see `summaryOf`. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** Figures of each image. */
  readonly rows: readonly object[]
  /** Worst tiles of ours, WebP, and what each is. */
  readonly worst?: { readonly picture: Uint8Array; readonly labels: readonly string[] }
}

/** Content of the page. */
export interface Leaderboard {
  readonly quality: LossyPreset
  readonly date: string
  readonly version: string
  readonly contests: readonly Contest[]
}

const escaped = (text: unknown): string => escapeHtml(String(text ?? ''))

/** A number as the table shows it; what was not measured is a dash. */
const cellOf = (value: unknown): string => {
  if (value === undefined || Number.isNaN(value)) return '<td>–</td>'
  return typeof value === 'number' ? `<td class="n">${value}</td>` : `<td>${escaped(value)}</td>`
}

const tableOf = (lines: readonly Readonly<Record<string, unknown>>[]): string => {
  const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))]
  const head = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join('')
  const rows = lines.map((line) => `<tr>${columns.map((column) => cellOf(line[column])).join('')}</tr>`)
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

const worstOf = ({ format, worst }: Contest): string => {
  if (worst === undefined) return ''
  const labels = worst.labels.map((label) => `<li>${escaped(label.replace(/^\d+\. /, ''))}</li>`).join('\n')
  const picture = Buffer.from(worst.picture).toString('base64')
  return `<h3>Worst tiles</h3>
<p>One an image, at 200 %: the source, ours, and the first encoder of the table at our bytes or at its one setting.</p>
<img alt="Worst tiles of ${escaped(format)}" src="data:image/webp;base64,${picture}">
<ol>${labels}</ol>`
}

const contestOf = (contest: Contest): string => `<section>
<h2>${escaped(contest.format.toUpperCase())}</h2>
<p>${contest.images} images; ${contest.broken} of ours break a bound without a Warning (${escaped(contest.bounds)}).</p>
${tableOf(contest.lines)}
${worstOf(contest)}
</section>`

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1b1b1b;background:#fff}
table{border-collapse:collapse}th,td{padding:.3rem .7rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:bottom}
th{font-weight:600;min-width:5rem}.n{text-align:right;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}img{max-width:100%}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}th,td{border-color:#444}}`

/** The page: one HTML file without anything to fetch. */
export const pageOf = ({ quality, date, version, contests }: Leaderboard): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Whittle ${escaped(version)} next to other encoders</title><style>${STYLE}</style></head>
<body>
<h1>Whittle ${escaped(version)} next to other encoders</h1>
<p>Preset ${escaped(quality)}, ${escaped(date)}. Every figure is ours in terms of the encoder's: .88 is 12 % less.
An encoder's quality is interpolated to exactly ours, by each metric in turn. “Floor” compares with the one quality
at which an encoder keeps both bounds on every image. Nothing of ours is fitted to the metrics after Butteraugli.</p>
${contests.map(contestOf).join('\n')}
</body>
</html>
`
