import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

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

it('runs every group of .ci/run in a job of the workflow ci.yml', () => {
  const [, groups = ''] = /^ALL=\(([^)]*)\)$/m.exec(read('.ci/run')) ?? []
  const { static: first, group } = (parse(read('.github/workflows/ci.yml')) as Workflow).jobs
  const run = first!.steps.flatMap(({ run = '' }) => /^\.ci\/run (\w+)$/.exec(run)?.[1] ?? [])
  expect([...run, ...group!.strategy!.matrix.group!].toSorted()).toEqual(groups.split(' ').toSorted())
})

it('keeps the forms for issues readable as YAML with the fields that a form needs', () => {
  for (const file of ['bug.yml', 'feature.yml']) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${file}`)) as { name: string; description: string; body: unknown[] }
    expect([typeof form.name, typeof form.description, form.body.length > 1]).toEqual(['string', 'string', true])
  }
})
