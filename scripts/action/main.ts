/** The GitHub Action (action.yml): measures the images of a pull request and comments with what they could save. */
import { execFile } from 'node:child_process'
import { appendFileSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type GitHub, GitHubError, openGitHub, type PullRequest } from './github.ts'
import { commentText, type ImageOutcome, listed, MARKER, savingOf } from './report.ts'

const MAIN = fileURLToPath(new URL('../../bin/whittle.js', import.meta.url))
const IMAGE = /\.(?:jpe?g|png|gif|webp|avif|svg)$/i
/** More images of one pull request are not measured: a job has minutes. */
const MAX_IMAGES = 500

const env = (name: string, fallback?: string): string => {
  const value = process.env[name]
  if (value !== undefined && value !== '') return value
  if (fallback === undefined) throw new Error(`${name} is not set: this script runs in a GitHub Action.`)
  return fallback
}

const percentIn = (name: string, fallback: string): number => {
  const value = Number(env(name, fallback))
  if (!(value >= 0 && value <= 100)) throw new Error(`${name} takes a percentage, not "${env(name, fallback)}".`)
  return value
}

/** Writes an annotation of the job. A line of the text, such as a file's name of a stranger, must not begin another command of the runner. */
const annotate = (kind: 'error' | 'warning', text: string): void => {
  const line = text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  process.stdout.write(`::${kind}::${line}\n`)
}

const pullRequest = (): PullRequest | undefined => {
  const event = JSON.parse(readFileSync(env('GITHUB_EVENT_PATH'), 'utf8')) as { pull_request?: { number: number } }
  return event.pull_request && { repository: env('GITHUB_REPOSITORY'), number: event.pull_request.number }
}

/** A file of the checkout: a link of a stranger's branch may lead anywhere. */
const isOwnFile = (root: string, path: string): boolean => {
  try {
    const full = join(root, path)
    return lstatSync(full).isFile() && realpathSync(full).startsWith(`${realpathSync(root)}${sep}`)
  } catch {
    return false
  }
}

/** Possible outcomes of each file. The exit code of the command says whether one failed, which the report says too. */
const measure = (root: string, paths: readonly string[], quality: string): Promise<readonly ImageOutcome[]> =>
  new Promise((done, reject) => {
    const flags = ['optimise', '--dry-run', '--json', '--quality', quality, '--', ...paths]
    execFile(process.execPath, [MAIN, ...flags], { cwd: root, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      try {
        done((JSON.parse(stdout) as { results: ImageOutcome[] }).results)
      } catch {
        reject(new Error(stderr.trim() || error?.message))
      }
    })
  })

/** Writes the comment. A pull request without anything to say gets none; an earlier comment is replaced in any case. */
const publish = async (github: GitHub, pull: PullRequest, text: string, isWorthIt: boolean): Promise<void> => {
  try {
    const known = await github.findComment(pull, MARKER)
    if (known !== undefined || isWorthIt) await github.comment(pull, text, known)
  } catch (error) {
    // The token of a fork's pull request may not write: the summary of the job still shows the table.
    if (!(error instanceof GitHubError) || ![401, 403, 404].includes(error.status)) throw error
    annotate('warning', `The token may not comment (${error.status}); see the summary of this job.`)
  }
}

/** The exit code by the input `check`. */
const verdict = (outcomes: readonly ImageOutcome[]): number => {
  if (env('WHITTLE_CHECK', 'never') === 'never') return 0
  const limit = percentIn('WHITTLE_CHECK', '')
  const largest = Math.max(0, ...outcomes.map(savingOf))
  if (largest < limit) return 0
  annotate('error', `An image could be ${largest.toFixed(0)} % smaller; the limit is ${limit} %.`)
  return 1
}

const run = async (): Promise<number> => {
  const pull = pullRequest()
  if (pull === undefined) {
    process.stdout.write('There is no pull request: nothing to comment on.\n')
    return 0
  }
  const settings = { quality: env('WHITTLE_QUALITY', 'medium'), minimum: percentIn('WHITTLE_MINIMUM', '10') }
  const root = env('GITHUB_WORKSPACE')
  const github = openGitHub({ api: env('GITHUB_API_URL', 'https://api.github.com'), token: env('GITHUB_TOKEN') })
  const changed = await github.changedFiles(pull)
  const paths = changed.filter((path) => IMAGE.test(path) && isOwnFile(root, path)).slice(0, MAX_IMAGES)
  const outcomes = paths.length === 0 ? [] : await measure(root, paths, settings.quality)
  const text = commentText(outcomes, settings)
  const summary = process.env['GITHUB_STEP_SUMMARY']
  if (summary !== undefined) appendFileSync(summary, text)
  await publish(github, pull, text, listed(outcomes, settings).length > 0)
  return verdict(outcomes)
}

try {
  process.exitCode = await run()
} catch (error) {
  annotate('error', (error as Error).message)
  process.exitCode = 1
}
