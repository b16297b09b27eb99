import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readDockerfile, stageOf } from '../scripts/dockerfile.ts'
import { imageManifest } from '../scripts/image-manifest.ts'
import { openPrometheusMetrics } from '../src/adapters/telemetry/prometheus.ts'
import { SETTINGS } from '../src/settings/settings.ts'

/** `40s`, `1m30s`, as Compose writes them: not those of ISO 8601. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:us|ms|s|m|h))+$/

const DEPLOY = resolve(import.meta.dirname, '../deploy')
const text = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')
const yaml = <Shape>(name: string): Shape => {
  const [document] = parseAllDocuments(text(name), { merge: true })
  return document?.toJS() as Shape
}
const files = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })

const KNOWN = new Set([...Object.values(SETTINGS).map(({ env }) => env), 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
const unknown = (names: readonly string[]): string[] => names.filter((name) => !KNOWN.has(name))

const metricNames = async (): Promise<Set<string>> => {
  const { body } = await openPrometheusMetrics().expose()
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(types.flatMap(([, name, type]) => (type === 'histogram' ? [`${name}_bucket`] : [name!])))
}
const metricsIn = (expressions: readonly string[]): string[] =>
  expressions.flatMap((expression) => expression.match(/\bwhittle_\w+/g) ?? [])

describe('deploy/', () => {
  it('the image installs the clients of shared stores, but neither the packages of `whittle mcp` nor the ffmpeg of npm', () => {
    const manifest = JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8')) as Parameters<
      typeof imageManifest
    >[0]
    const { dependencies, optionalDependencies } = imageManifest(manifest)
    const names = Object.keys({ ...dependencies, ...optionalDependencies })
    expect(names).toEqual(expect.arrayContaining(['sharp', 'pg', 'ioredis', 'bullmq', '@aws-sdk/client-s3']))
    expect(names.filter((name) => /^(?:@modelcontextprotocol|@ffmpeg-installer)\/|^zod$/.test(name))).toEqual([])
  })

  const plain = files.filter((name) => /\.ya?ml$/.test(name) && !name.includes('templates'))
  it.each(plain)('%s is YAML without mistakes', (name) => {
    expect(parseAllDocuments(text(name), { merge: true }).flatMap(({ errors }) => errors)).toEqual([])
  })

  it('alerts ask for metrics that there are, and say what to do', async () => {
    const { groups } = yaml<{ groups: { rules: Record<string, unknown>[] }[] }>('prometheus/alerts.yaml')
    const rules = groups.flatMap((group) => group.rules)
    expect(rules).toHaveLength(7)
    const names = await metricNames()
    expect(metricsIn(rules.map((rule) => String(rule['expr']))).filter((name) => !names.has(name))).toEqual([])
    for (const rule of rules) {
      expect(Object.keys(rule)).toEqual(['alert', 'expr', 'for', 'labels', 'annotations'])
    }
  })

  it('nginx looks up the name of every node while it runs, so that it starts while one does not resolve', () => {
    const site = text('nginx/whittle.conf')
    const servers = [...site.matchAll(/^ +server (\S+) (.*);$/gm)].map(([, name, flags]) => [name, flags])
    expect(servers).toEqual(['a', 'b', 'c'].map((node) => [`node-${node}:8080`, 'resolve max_fails=0']))
    expect(site).toMatch(/^resolver \S+ valid=\d+s;$/m)
    expect(site).toMatch(/^ {2}zone \w+ \d+k;$/m)
  })

  it('the dashboard asks for metrics that there are', async () => {
    const { panels } = JSON.parse(text('grafana/whittle.json')) as { panels: { targets: { expr: string }[] }[] }
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    expect(expressions.length).toBeGreaterThan(10)
    const names = await metricNames()
    expect(metricsIn(expressions).filter((name) => !names.has(name))).toEqual([])
  })

  it('compose files and chart set only what is a setting', () => {
    interface Compose {
      readonly services: Record<string, { readonly environment?: Record<string, string>; readonly build?: unknown }>
    }
    const { services } = yaml<Compose>('compose/three-nodes.yaml')
    const nodes = Object.values(services).filter(({ build }) => build !== undefined)
    expect(nodes).toHaveLength(3)
    expect(unknown(nodes.flatMap(({ environment = {} }) => Object.keys(environment)))).toEqual([])
    expect(unknown(Object.keys(yaml<{ settings: object }>('helm/whittle/values.yaml').settings))).toEqual([])
  })

  it.each(['one-node', 'three-nodes'])('compose/%s.yaml is what the Compose Specification allows', (name) => {
    const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures/deploy/compose-spec.json'), 'utf8'))
    const { $schema: _draft, ...rules } = schema
    const validate = new Ajv({ strict: false, formats: { duration: DURATION } }).compile(rules)
    expect([validate(yaml(`compose/${name}.yaml`)), validate.errors]).toEqual([true, null])
    expect(validate({ services: { whittle: { imagee: 'whittle' } } })).toBe(false)
  })

  describe.each(['one-node', 'three-nodes'])('compose/%s.yaml', (name) => {
    interface Container {
      readonly image: string
      readonly build?: unknown
      readonly ports?: readonly string[]
      readonly command?: unknown
      readonly entrypoint?: unknown
      readonly healthcheck?: { readonly test: unknown }
      readonly mem_limit?: string
      readonly restart?: string
    }
    const services = Object.entries(yaml<{ services: Record<string, Container> }>(`compose/${name}.yaml`).services)

    it('pins every image that it does not build by tag and digest', () => {
      const pulled = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image)
      expect(pulled.filter((image) => !/:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
    })

    it('gives every container a health check, a limit of memory, and a restart', () => {
      const lacking = services.filter(
        ([, { build, healthcheck, mem_limit, restart }]) =>
          (build === undefined && healthcheck === undefined) || mem_limit === undefined || restart === undefined,
      )
      expect(lacking).toEqual([])
    })

    it('puts no password on a command line, and Grafana on this machine alone', () => {
      const lines = services.map(([, { command, entrypoint, healthcheck }]) => [command, entrypoint, healthcheck?.test])
      expect(JSON.stringify(lines)).not.toMatch(/\$\{WHITTLE_PASSWORD|requirepass'|--requirepass|"-a"/)
      const published = services.flatMap(([service, { ports = [] }]) => (service === 'grafana' ? ports : []))
      for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/)
    })
  })

  it('every service that a compose file names as needed is there', () => {
    interface Services {
      readonly services: Record<string, { readonly depends_on?: string[] | Record<string, unknown> }>
    }
    const { services } = yaml<Services>('compose/three-nodes.yaml')
    const needed = Object.values(services).flatMap(({ depends_on = [] }) =>
      Array.isArray(depends_on) ? depends_on : Object.keys(depends_on),
    )
    expect(needed.filter((name) => !(name in services))).toEqual([])
  })

  it('templates of the chart use only values that there are', () => {
    const values = yaml<Record<string, unknown>>('helm/whittle/values.yaml')
    const templates = files.filter((name) => name.includes('templates/') && name.endsWith('.yaml'))
    expect(templates.length).toBeGreaterThan(3)
    const used = templates.flatMap((name) => [...text(name).matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path]) => path!))
    const missing = used.filter((path) => {
      let at: unknown = values
      for (const part of path.slice(1).split('.')) at = (at as Record<string, unknown> | undefined)?.[part]
      return at === undefined
    })
    expect(missing).toEqual([])
  })

  const dockerfile = readDockerfile(text('Dockerfile'))
  const wordsOf = (stage: string, name: string): string =>
    stageOf(dockerfile, stage)
      .filter((one) => one.name === name)
      .map(({ args }) => args.join(' '))
      .join('\n')

  it('the image runs without root, has a health check, and sets only existing settings', () => {
    expect(wordsOf('runtime', 'USER')).toBe('65532:65532')
    expect(wordsOf('runtime', 'HEALTHCHECK')).toContain('/-/ready')
    const set = wordsOf('runtime', 'ENV').split(' ')
    const names = set.map((pair) => pair.split('=')[0]!)
    expect(unknown(names.filter((name) => name !== 'NODE_ENV'))).toEqual([])
  })

  it('the image is built of bases pinned by digest, and from the lockfile alone', () => {
    const bases = dockerfile.filter(({ name, args }) => name === 'ARG' && args[0]?.includes('_IMAGE='))
    expect(bases).toHaveLength(2)
    for (const { args } of bases) expect(args[0]).toMatch(/^\w+_IMAGE=[\w.-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
    const installs = wordsOf('build', 'RUN').match(/npm (?:ci|install|i|add)\b/g)
    expect(installs).toEqual(['npm ci', 'npm ci'])
  })

  it('the image starts through an init, has its command on the PATH, and says what it is', () => {
    expect(JSON.parse(wordsOf('runtime', 'ENTRYPOINT'))).toEqual(['tini', '--', 'whittle'])
    expect(wordsOf('runtime', 'RUN')).toContain('/usr/local/bin/whittle')
    const labels = ['title', 'description', 'licenses', 'version', 'revision', 'base.name']
    for (const label of labels) expect(wordsOf('runtime', 'LABEL')).toContain(`org.opencontainers.image.${label}=`)
    const { version } = JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8')) as { version: string }
    expect(wordsOf('runtime', 'ARG')).toContain(`VERSION=${version}`)
  })

  it('the volume of the image belongs to its user', () => {
    expect(wordsOf('runtime', 'RUN')).toMatch(/install -d -o 65532 -g 65532 -m 0700 \/data/)
  })

  it('the unit of systemd gives up what it does not need', () => {
    const unit = text('systemd/whittle.service')
    for (const line of ['DynamicUser=yes', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=']) {
      expect(unit.split('\n')).toContain(line)
    }
    expect(unit).toMatch(/^MemoryMax=/m)
    expect(unit).toMatch(/^TasksMax=/m)
  })

  it('the unit of systemd lets bubblewrap make its namespaces, mount, and have a /proc of its own', () => {
    const lines = text('systemd/whittle.service').split('\n')
    const namespaces = lines.find((line) => line.startsWith('RestrictNamespaces='))?.split(/[= ]/)
    expect(namespaces).toEqual(expect.arrayContaining(['user', 'mnt', 'pid', 'net', 'ipc']))
    expect(lines).toContain('SystemCallFilter=@system-service @mount')
    expect(lines.find((line) => line.startsWith('RestrictAddressFamilies='))).toContain('AF_NETLINK')
    const overProc = /^(?:ProtectProc|ProcSubset|ProtectHostname|ProtectKernelLogs|ProtectKernelTunables)=/
    expect(lines.filter((line) => overProc.test(line))).toEqual([])
  })
})
