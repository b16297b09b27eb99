import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { scratchDirectory } from './scratch.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

interface Job {
  readonly steps: readonly { readonly run?: string }[]
  readonly strategy?: { readonly matrix: { readonly group?: readonly string[] } }
}

interface Workflow {
  readonly jobs: Record<string, Job>
}

const workflows = readdirSync(join(ROOT, '.github/workflows'))

const commandsOf = (file: string): readonly string[] =>
  Object.values((parse(read(`.github/workflows/${file}`)) as Workflow).jobs)
    .flatMap(({ steps }) => steps)
    .flatMap(({ run }) => (run === undefined ? [] : [run]))

describe.each(workflows)('the workflow %s', (file) => {
  it('runs only npm scripts that package.json has', () => {
    const named = commandsOf(file).flatMap((run) => [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!))
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })

  it('runs only programs of the checkout that exist', () => {
    const named = commandsOf(file).flatMap((run) => run.match(/(?:^|\s)(\.ci\/\w+|scripts\/[\w./-]+)/g) ?? [])
    expect(named.filter((path) => !existsSync(join(ROOT, path.trim())))).toEqual([])
  })
})

/** Names of the groups in the list of that name in .ci/run. */
const groupsIn = (list: string): readonly string[] =>
  new RegExp(`^${list}=\\(([^)]*)\\)$`, 'm').exec(read('.ci/run'))?.[1]?.match(/\w+/g) ?? []

it('runs every group of .ci/run in one of its phases', () => {
  expect(groupsIn('PHASES').toSorted()).toEqual(groupsIn('ALL').toSorted())
})

it('prints the whole output of commands that run side by side in .ci/run, and fails when one of them fails', async () => {
  const bin = await scratchDirectory('npm')
  const npm = '#!/bin/sh\necho "$* begins"\necho "$* ends" >&2\ntest "$3" != check:imports\n'
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }
  const { status, stdout } = spawnSync('bash', [join(ROOT, '.ci/run'), 'static'], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  const checks = ['check:types', 'lint', 'check:imports', 'check:prose']
  expect(stdout.match(/^(?:run|failed).*$/gm)).toEqual(
    checks.flatMap((name) => [
      ...[`run --silent ${name} begins`, `run --silent ${name} ends`],
      ...(name === 'check:imports' ? ['failed: check:imports'] : []),
    ]),
  )
})

it('runs every group of .ci/run in a job of the workflow ci.yml', () => {
  const { static: first, group } = (parse(read('.github/workflows/ci.yml')) as Workflow).jobs
  const run = first!.steps.flatMap(({ run = '' }) => /^\.ci\/run (\w+)$/.exec(run)?.[1] ?? [])
  expect([...run, ...group!.strategy!.matrix.group!].toSorted()).toEqual(groupsIn('ALL').toSorted())
})

it('keeps the forms for issues readable as YAML with the fields that a form needs', () => {
  for (const file of ['bug.yml', 'feature.yml']) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${file}`)) as { name: string; description: string; body: unknown[] }
    expect([typeof form.name, typeof form.description, form.body.length > 1]).toEqual(['string', 'string', true])
  }
})
