import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readDockerfile, stageOf } from '../scripts/dockerfile.ts'
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
  const plain = files.filter((name) => /\.ya?ml$/.test(name) && !name.includes('templates'))
  it.each(plain)('%s is YAML without mistakes', (name) => {
    expect(parseAllDocuments(text(name), { merge: true }).flatMap(({ errors }) => errors)).toEqual([])
  })

  it('alerts ask for metrics that there are, and say what to do', async () => {
    const { groups } = yaml<{ groups: { rules: Record<string, unknown>[] }[] }>('prometheus/alerts.yaml')
    const rules = groups.flatMap((group) => group.rules)
    expect(rules).toHaveLength(5)
    const names = await metricNames()
    expect(metricsIn(rules.map((rule) => String(rule['expr']))).filter((name) => !names.has(name))).toEqual([])
    for (const rule of rules) {
      expect(Object.keys(rule)).toEqual(['alert', 'expr', 'for', 'labels', 'annotations'])
    }
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

  it('the image runs as somebody other than root, says how it is, and takes settings that there are', () => {
    const instructions = stageOf(readDockerfile(text('Dockerfile')), 'runtime')
    const argsOf = (name: string): string => instructions.find((one) => one.name === name)?.args.join(' ') ?? ''
    expect(argsOf('USER')).toBe('65532:65532')
    expect(argsOf('HEALTHCHECK')).toContain('/-/ready')
    const set = argsOf('ENV')
      .split(' ')
      .map((pair) => pair.split('=')[0]!)
    expect(unknown(set.filter((name) => name !== 'NODE_ENV'))).toEqual([])
  })

  it('the unit of systemd gives up what it does not need', () => {
    const unit = text('systemd/whittle.service')
    for (const line of ['DynamicUser=yes', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=']) {
      expect(unit.split('\n')).toContain(line)
    }
  })
})
