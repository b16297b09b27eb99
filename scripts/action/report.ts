/** The comment on a pull request, decided from the report of `whittle optimise --dry-run --json`. */

/** One image of the report. */
export type ImageOutcome =
  | { readonly kind: 'failed'; readonly path: string; readonly text: string }
  | {
      readonly kind: string
      readonly path: string
      readonly format: string
      readonly sourceBytes: number
      readonly bytes: number
      readonly score?: number
    }

type Measured = Exclude<ImageOutcome, { kind: 'failed' }>

export interface ReportSettings {
  readonly quality: string
  /** Percentage from which an image is listed. */
  readonly minimum: number
}

/** First text of the comment. The next run finds the comment by it. */
export const MARKER = '<!-- whittle-images -->'

/** A comment of GitHub holds 65,536 characters. */
const MAX_ROWS = 100

const UNITS = ['B', 'kB', 'MB', 'GB'] as const

const bytesText = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power > 0 ? 1 : 0)} ${UNITS[power]}`
}

/** A name of a stranger as code in a table: no character of it is Markdown, HTML or a mention. */
const asCode = (name: string): string =>
  `<code>${[...name.slice(0, 200)].map((each) => (/[\w./ -]/.test(each) ? each : `&#${each.codePointAt(0)};`)).join('')}</code>`

/** Percentage of its bytes that an image could save; 0 for one that failed. */
export const savingOf = (outcome: ImageOutcome): number =>
  'bytes' in outcome && outcome.sourceBytes > 0 ? Math.max(0, (1 - outcome.bytes / outcome.sourceBytes) * 100) : 0

const row = (outcome: Measured): string => {
  const { path, sourceBytes, bytes, format, score } = outcome
  const cells = [
    asCode(path),
    bytesText(sourceBytes),
    `${bytesText(bytes)} ${format.toUpperCase()}`,
    `${savingOf(outcome).toFixed(0)} %`,
    score === undefined ? '' : score.toFixed(1),
  ]
  return `| ${cells.join(' | ')} |`
}

const plural = (count: number): string => (count === 1 ? '1 image' : `${count} images`)

/** The images that are listed, by bytes saved. */
export const listed = (outcomes: readonly ImageOutcome[], { minimum }: ReportSettings): readonly Measured[] =>
  outcomes
    .filter((outcome): outcome is Measured => 'bytes' in outcome && savingOf(outcome) >= minimum)
    .toSorted((one, other) => other.sourceBytes - other.bytes - (one.sourceBytes - one.bytes))

/** The comment as Markdown. */
export const commentText = (outcomes: readonly ImageOutcome[], settings: ReportSettings): string => {
  const rows = listed(outcomes, settings)
  const failed = outcomes.filter((outcome) => outcome.kind === 'failed').length
  const unread = failed === 0 ? '' : `\n\n${plural(failed)} could not be read.`
  const { quality, minimum } = settings
  if (rows.length === 0)
    return `${MARKER}\n**The images of this pull request are fine**: none could be ${minimum} % smaller at quality ${quality}.${unread}\n`
  const saved = rows.reduce((sum, { sourceBytes, bytes }) => sum + sourceBytes - bytes, 0)
  const more = rows.length > MAX_ROWS ? `\n\n${plural(rows.length - MAX_ROWS)} more are not listed.` : ''
  return `${MARKER}
**${plural(rows.length)} of this pull request could be ${bytesText(saved)} smaller** at quality ${quality}.

| image | now | could be | saves | SSIMULACRA 2.1 |
|---|--:|--:|--:|--:|
${rows.slice(0, MAX_ROWS).map(row).join('\n')}${more}${unread}

To make them smaller: \`whittle optimise --in-place --quality ${quality} FILES\`
`
}
