import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
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

/** Installs nothing: .ci/run finds programs on the PATH, or calls these. */
const INSTALLERS = ['apt-get', 'sudo']

interface CiRun {
  readonly child: ChildProcessWithoutNullStreams
  readonly output: () => string
  readonly ended: Promise<unknown>
  /** The directory that the run uses for temporary files. */
  readonly temporary: string
}

/** Starts .ci/run on these groups, with the shell script `npm` in place of npm. */
const startCi = async (groups: readonly string[], npm: string): Promise<CiRun> => {
  const bin = await scratchDirectory('npm')
  const temporary = await scratchDirectory('ci')
  for (const name of INSTALLERS) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(bin, 'npm'), `#!/bin/bash\n[ "$1" != ci ] || exit 0\n${npm}`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, TMPDIR: temporary }
  const child = spawn('bash', [join(ROOT, '.ci/run'), ...groups], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  return { child, output: () => output, ended: once(child, 'close'), temporary }
}

/** Names what it is asked for on both streams, and fails for one name. */
const FAILING = (name: string): string => `echo "$* begins"\necho "$* ends" >&2\ntest "$*" != "${name}"\n`

const linesOf = (output: string, pattern: RegExp): readonly string[] => (output.match(pattern) ?? []).toSorted()

describe('.ci/run', () => {
  it('prints the whole output of checks that run side by side, and fails when one of them fails', async () => {
    const { child, output, ended } = await startCi(['static'], FAILING('run --silent check:imports'))
    await ended
    expect(child.exitCode).toBe(1)
    const checks = ['check:types', 'lint', 'check:imports', 'check:prose']
    const expected = checks.flatMap((name) =>
      ['begins', 'ends'].map((word) => `[${name}] run --silent ${name} ${word}`),
    )
    expect(linesOf(output(), /^(?:\[.*\] run|failed).*$/gm)).toEqual(
      [...expected, 'failed: check:imports', 'failed: static'].toSorted(),
    )
  })

  it('prints the whole output of both lanes, named by the groups asked for, and fails when one group fails', async () => {
    const { child, output, ended } = await startCi(['images', 'browser', 'unit'], FAILING('test --ignore-scripts'))
    await ended
    expect(child.exitCode).toBe(1)
    // A lane ends at its first failure.
    expect(linesOf(output(), /^(?:\[.*\] (?:test|run)|failed).*$/gm)).toEqual([
      '[browser] run --silent test:browser begins',
      '[browser] run --silent test:browser ends',
      '[unit images] test --ignore-scripts begins',
      '[unit images] test --ignore-scripts ends',
      'failed: unit images',
    ])
  })

  it('runs the next phase only when the lanes of one phase have succeeded', async () => {
    const groups = ['unit', 'browser', 'attacks']
    const { child, output, ended } = await startCi(groups, FAILING('run --silent test:leaks'))
    await ended
    expect(child.exitCode).toBe(1)
    expect(linesOf(output(), /^.*(?:leaks|browser) ends$/gm)).toEqual([
      '[browser] run --silent test:browser ends',
      'run --silent test:leaks ends',
    ])
    const failing = await startCi(groups, FAILING('run --silent test:browser'))
    await failing.ended
    expect(failing.output()).not.toContain('leaks')
  })

  /** Prints its id and that of a child, and waits. The child says when it is ended. */
  const WAITING =
    'echo "begins"\n(trap \'echo "child ends"; exit\' TERM; echo "id $BASHPID"; sleep 1000 & wait) &\necho "id $$"\nwait\n'
  /** A process that has ended, but whose parent has not asked for its status, is not alive. */
  const isAlive = (id: number): boolean =>
    existsSync(`/proc/${id}`) && !readFileSync(`/proc/${id}/stat`, 'utf8').includes(') Z ')

  it.each([
    { signal: 'SIGINT', groups: ['unit', 'browser'], status: 130 },
    { signal: 'SIGTERM', groups: ['unit', 'browser'], status: 143 },
    { signal: 'SIGTERM', groups: ['browser'], status: 143 },
  ] as const)('ends all processes of the lanes and leaves no file after $signal to $groups', async ({
    signal,
    groups,
    status,
  }) => {
    const { child, output, ended, temporary } = await startCi(groups, WAITING)
    const ids = (): number[] => [...output().matchAll(/id (\d+)/g)].map(([, id]) => Number(id))
    await expect.poll(ids).toHaveLength(groups.length * 2)
    expect(ids().every(isAlive)).toBe(true)
    child.kill(signal)
    await ended
    expect(child.exitCode).toBe(status)
    await expect.poll(() => ids().filter(isAlive)).toEqual([])
    expect(output().match(/child ends$/gm)).toHaveLength(groups.length)
    expect(readdirSync(temporary)).toEqual([])
  })
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
