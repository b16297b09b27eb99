import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Audit, type AuditSettings, audit, isAddress } from '../audit/audit.ts'
import { auditToHtml } from '../audit/audit-to-html.ts'
import { findChromium } from '../audit/browser/devtools.ts'
import { totalsOf } from '../audit/findings.ts'
import { jsonReport, printable, textReport } from '../audit/text-report.ts'
import { LIBRARY_LIMITS, openOptimiser } from '../library/optimiser.ts'
import { END_SIGNALS } from '../support/end-signals.ts'
import type { Terminal } from './optimise/reporter.ts'
import { sayError } from './say-error.ts'
import { WrongUsage } from './wrong-usage.ts'

/** Flags of `whittle audit`. */
export const AUDIT_FLAGS = {
  pages: {
    value: 'N',
    help: 'read up to N pages of the site, following its links; 1 unless given, all pages of a folder',
  },
  browser: { help: 'run the scripts of pages in Chromium and measure what it shows; CHROMIUM_PATH names the program' },
  images: { value: 'N', help: 'measure up to N images; 200 unless given' },
  quality: { value: 'low|medium|high', help: 'the promise that results keep; medium unless given' },
  views: { value: 'N', help: 'page views a month, for the saved traffic; 10000 unless given' },
  html: { value: 'FILE', help: 'write one HTML file with every image before and after' },
  report: { value: 'text|json', help: 'the form of the report on standard output; text unless given' },
  check: { value: 'PERCENT', help: 'exit with 1 when more than PERCENT of the bytes could be saved' },
  'max-seconds': { value: 'N', help: 'stop after N seconds; 600 unless given' },
  'max-bytes': { value: 'N', help: 'download at most N bytes in all; 500000000 unless given' },
  help: { help: 'show this help' },
} as const

const USAGE = `Usage: whittle audit <address|folder> [flags]

Says which images of a page, a site or a folder of pages could be smaller at the same perceived quality.
It obeys robots.txt and sends one request at a time. It runs scripts only with --browser.

${Object.entries(AUDIT_FLAGS)
  .map(([name, flag]) => `  ${`--${name}${'value' in flag ? ` ${flag.value}` : ''}`.padEnd(27)}${flag.help}`)
  .join('\n')}

Examples:
  whittle audit https://www.example.com --pages 20 --html report.html
  whittle audit ./dist --check 10
`

/** ms between two requests. */
const PAUSE_MS = 200

interface AuditFlags {
  readonly target: string
  readonly pages: number | undefined
  readonly browser: boolean
  readonly images: number
  readonly quality: string
  readonly views: number
  readonly html: string | undefined
  readonly json: boolean
  readonly check: number | undefined
  readonly maxSeconds: number
  readonly maxBytes: number
}

const numberOf = (name: string, text: string | undefined, atLeast: number): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value < atLeast)
    throw new WrongUsage(`--${name} takes a number from ${atLeast}, not "${text}".`)
  return value
}

const oneOf = (name: string, text: string | undefined, allowed: readonly string[]): string | undefined => {
  if (text !== undefined && !allowed.includes(text))
    throw new WrongUsage(`--${name} takes ${allowed.join(', ')}, not "${text}".`)
  return text
}

const readAuditFlags = (argv: readonly string[]): AuditFlags | 'help' => {
  const string = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      pages: string,
      browser: { type: 'boolean' },
      images: string,
      quality: string,
      views: string,
      html: string,
      report: string,
      check: string,
      'max-seconds': string,
      'max-bytes': string,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return 'help'
  const [target] = positionals
  if (target === undefined || positionals.length > 1) throw new WrongUsage('Name one address or one folder.')
  return {
    target,
    pages: numberOf('pages', values.pages, 1),
    browser: values.browser === true,
    images: numberOf('images', values.images, 1) ?? 200,
    quality: oneOf('quality', values.quality, ['low', 'medium', 'high']) ?? 'medium',
    views: numberOf('views', values.views, 0) ?? 10_000,
    html: values.html,
    json: oneOf('report', values.report, ['text', 'json']) === 'json',
    check: numberOf('check', values.check, 0),
    maxSeconds: numberOf('max-seconds', values['max-seconds'], 1) ?? 600,
    maxBytes: numberOf('max-bytes', values['max-bytes'], 1) ?? 500e6,
  }
}

/** Path of Chromium. Fails without one. */
const chromiumPath = (): string => {
  const found = findChromium(process.env)
  if (found === undefined)
    throw new Error('--browser needs Chromium or Chrome: install it (apt-get install chromium), or set CHROMIUM_PATH.')
  return found
}

const progressOn = ({ stderr }: Terminal): Pick<AuditSettings, 'onProgress'> =>
  stderr.isTTY === true
    ? { onProgress: ({ done, of, url }) => void stderr.write(`\r\u001b[K${done}/${of} ${printable(url).slice(-60)}`) }
    : {}

const auditAndWrite = async (flags: AuditFlags, settings: AuditSettings): Promise<Audit> => {
  if (flags.html === undefined) return audit(flags.target, settings)
  const { report, html } = await auditToHtml(flags.target, settings, flags.views)
  await writeFile(flags.html, html)
  return report
}

const runAudit = async (flags: AuditFlags, terminal: Terminal, stopping: AbortSignal): Promise<number> => {
  const { stdout, stderr } = terminal
  await using optimiser = openOptimiser()
  const result = await auditAndWrite(flags, {
    preset: flags.quality,
    maxPages: flags.pages ?? (isAddress(flags.target) ? 1 : Number.POSITIVE_INFINITY),
    maxImages: flags.images,
    maxFileBytes: LIBRARY_LIMITS.maxBytes,
    maxTotalBytes: flags.maxBytes,
    pauseMs: PAUSE_MS,
    allowPrivate: true,
    ...(flags.browser ? { chromium: chromiumPath() } : {}),
    signal: AbortSignal.any([stopping, AbortSignal.timeout(flags.maxSeconds * 1000)]),
    optimiser,
    ...progressOn(terminal),
  })
  if (stderr.isTTY === true) stderr.write('\r\u001b[K')
  stdout.write(flags.json ? jsonReport(result, flags.views) : textReport(result, flags.views))
  const { savedPercent } = totalsOf(result.images)
  if (flags.check === undefined || savedPercent <= flags.check) return 0
  stderr.write(`whittle: ${savedPercent.toFixed(1)} % of the bytes could be saved; --check allows ${flags.check} %.\n`)
  return 1
}

/** The command `whittle audit`. Resolves with the exit code: 0 success, 1 a failure or a finding of `--check`, 2 wrong usage. */
export const auditCommand = async (argv: readonly string[], terminal: Terminal): Promise<number> => {
  const stopping = new AbortController()
  const stop = (): void => stopping.abort(new Error('stopped'))
  for (const name of END_SIGNALS) process.once(name, stop)
  try {
    const flags = readAuditFlags(argv)
    if (flags === 'help') {
      terminal.stdout.write(USAGE)
      return 0
    }
    return await runAudit(flags, terminal, stopping.signal)
  } catch (error) {
    const isUsage =
      error instanceof WrongUsage || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
    const isTime = error instanceof DOMException && error.name === 'TimeoutError'
    const text = isTime ? 'The time of --max-seconds is over.' : sayError(error)
    terminal.stderr.write(`whittle: ${printable(text)}\n${isUsage ? 'See: whittle audit --help\n' : ''}`)
    return isUsage ? 2 : 1
  } finally {
    for (const name of END_SIGNALS) process.removeListener(name, stop)
  }
}
