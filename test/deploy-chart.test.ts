import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { renderChart } from './render-chart.ts'

const CHART = resolve(import.meta.dirname, '../deploy/helm/whittle')
const read = (name: string): string => readFileSync(join(CHART, name), 'utf8')
const TEMPLATES = readdirSync(join(CHART, 'templates')).map((name) => read(`templates/${name}`))

type Labels = Readonly<Record<string, string>>
interface Named {
  readonly name: string
}
interface Container {
  readonly ports: readonly Named[]
  readonly env: readonly (Named & { readonly value: unknown })[]
  readonly volumeMounts: readonly Named[]
  readonly securityContext: unknown
  readonly startupProbe: { readonly httpGet: { readonly port: string } }
  readonly readinessProbe: { readonly httpGet: { readonly port: string } }
  readonly livenessProbe: { readonly httpGet: { readonly port: string } }
  readonly resources: { readonly requests: object; readonly limits: object }
}
/** The parts that refer to one another; each kind has some of them. */
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Named & { readonly labels: Labels }
  readonly spec: {
    readonly replicas?: number
    readonly serviceName: string
    readonly selector: Labels & { readonly matchLabels: Labels }
    readonly template: {
      readonly metadata: { readonly labels: Labels }
      readonly spec: {
        readonly serviceAccountName: string
        readonly securityContext: { readonly runAsNonRoot: boolean }
        readonly containers: readonly Container[]
        readonly volumes: readonly Named[]
      }
    }
    readonly volumeClaimTemplates?: readonly { readonly metadata: Named }[]
    readonly ports: readonly (Named & { readonly targetPort: string })[]
    readonly scaleTargetRef: Named & { readonly kind: string }
    readonly endpoints: readonly { readonly port: string }[]
    readonly rules: readonly {
      readonly http: {
        readonly paths: readonly { readonly backend: { readonly service: Named & { readonly port: Named } } }[]
      }
    }[]
  }
}

const merged = (one: unknown, more: unknown): unknown =>
  typeof one === 'object' && one !== null && typeof more === 'object' && more !== null
    ? Object.fromEntries(
        [...new Set([...Object.keys(one), ...Object.keys(more)])].map((name) => [
          name,
          merged((one as Record<string, unknown>)[name], (more as Record<string, unknown>)[name]),
        ]),
      )
    : (more ?? one)

const manifestsFor = (changed: object): Manifest[] => {
  const Values = merged(parse(read('values.yaml')), changed)
  const { appVersion } = parse(read('Chart.yaml')) as { appVersion: string }
  const texts = renderChart(TEMPLATES, { Values, Release: { Name: 'shop' }, Chart: { AppVersion: appVersion } })
  const documents = texts.flatMap((text) => parseAllDocuments(text))
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  return documents.map((document) => document.toJS() as Manifest | null).filter((one) => one !== null)
}

const includes = (labels: Labels, selector: Labels): boolean =>
  Object.keys(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value)
const names = (list: readonly Named[]): string[] => list.map(({ name }) => name)

const ALL = {
  ingress: { enabled: true },
  metrics: { serviceMonitor: true },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/x' } },
  data: { persistence: true },
  autoscaling: { enabled: false },
}

describe.each<[string, object, readonly string[]]>([
  ['as it is', {}, ['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'Service', 'ServiceAccount', 'StatefulSet']],
  [
    'with everything switched over',
    ALL,
    ['Ingress', 'PodDisruptionBudget', 'Service', 'ServiceAccount', 'ServiceMonitor', 'StatefulSet'],
  ],
])('the chart %s', (_, changed, kinds) => {
  const manifests = manifestsFor(changed)
  const of = (kind: string): Manifest[] => manifests.filter((one) => one.kind === kind)
  const [set] = of('StatefulSet')
  const [service] = of('Service')
  const pod = set!.spec.template
  const [container] = pod.spec.containers

  it('makes each manifest once, under the name of the release', () => {
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds)
    for (const { apiVersion, metadata } of manifests)
      expect([apiVersion, metadata.name]).toEqual([expect.stringMatching(/^[a-z0-9.]+(?:\/v\d\w*)?$/), 'shop'])
  })

  it('selects the pods that it makes', () => {
    expect(includes(pod.metadata.labels, set!.spec.selector.matchLabels)).toBe(true)
    expect(includes(pod.metadata.labels, service!.spec.selector)).toBe(true)
    for (const budget of of('PodDisruptionBudget'))
      expect(includes(pod.metadata.labels, budget.spec.selector.matchLabels)).toBe(true)
    for (const monitor of of('ServiceMonitor'))
      expect(includes(service!.metadata.labels, monitor.spec.selector.matchLabels)).toBe(true)
  })

  it('names only what there is: ports, volumes, services, accounts, what is scaled', () => {
    const ports = names(container!.ports)
    const { startupProbe, readinessProbe, livenessProbe } = container!
    const asked = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.port)
    expect(
      [...asked, ...service!.spec.ports.map(({ targetPort }) => targetPort)].filter((port) => !ports.includes(port)),
    ).toEqual([])
    const claims = (set!.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)
    expect(names([...pod.spec.volumes, ...claims]).toSorted()).toEqual(names(container!.volumeMounts).toSorted())
    expect([set!.spec.serviceName, pod.spec.serviceAccountName]).toEqual([
      service!.metadata.name,
      of('ServiceAccount')[0]!.metadata.name,
    ])
    for (const { spec } of of('HorizontalPodAutoscaler'))
      expect([spec.scaleTargetRef.kind, spec.scaleTargetRef.name]).toEqual(['StatefulSet', set!.metadata.name])
    for (const { spec } of of('Ingress')) {
      const backend = spec.rules[0]!.http.paths[0]!.backend.service
      expect([backend.name, names(service!.spec.ports)]).toEqual([service!.metadata.name, [backend.port.name]])
    }
    for (const { spec } of of('ServiceMonitor')) expect(names(service!.spec.ports)).toContain(spec.endpoints[0]!.port)
  })

  it('counts its pods itself only where nothing scales them', () => {
    expect(set!.spec.replicas === undefined).toBe(of('HorizontalPodAutoscaler').length === 1)
  })

  it('runs as nobody, writes nowhere but its volumes, and says what it needs', () => {
    expect(pod.spec.securityContext.runAsNonRoot).toBe(true)
    expect(container!.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    expect(Object.keys(container!.resources.requests)).toEqual(['cpu', 'memory'])
    // Kubernetes takes texts alone.
    expect(container!.env.filter(({ value }) => typeof value !== 'string')).toEqual([])
    expect(container!.env.length).toBeGreaterThan(0)
  })
})
