import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { findTool, KUBERNETES } from './tools.ts'

const CHART = resolve(import.meta.dirname, '../../deploy/helm/whittle')
const SCHEMAS = resolve(import.meta.dirname, '../fixtures/kubernetes/{{.ResourceKind}}{{.KindSuffix}}.json')

type Labels = Readonly<Record<string, string>>
interface Named {
  readonly name: string
}
interface Variable extends Named {
  readonly value?: unknown
  readonly valueFrom?: { readonly resourceFieldRef: { readonly resource: string } }
}
interface Probe {
  readonly httpGet: { readonly port: string }
}
interface Container {
  readonly image: string
  readonly ports: readonly (Named & { readonly containerPort: number })[]
  readonly env: readonly Variable[]
  readonly volumeMounts: readonly Named[]
  readonly securityContext: unknown
  readonly startupProbe: Probe
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
  readonly resources: { readonly requests: object; readonly limits: Readonly<Record<string, string>> }
}
interface Pod {
  readonly serviceAccountName: string
  readonly imagePullSecrets?: readonly Named[]
  readonly securityContext: { readonly runAsNonRoot: boolean }
  readonly containers: readonly Container[]
  readonly volumes: readonly Named[]
  readonly topologySpreadConstraints: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[]
}
/** The parts that refer to one another; each kind has some of them. */
interface Manifest {
  readonly kind: string
  readonly metadata: Named & { readonly labels: Labels }
  readonly spec: {
    readonly replicas?: number
    readonly clusterIP?: string
    readonly serviceName: string
    readonly selector: Labels & { readonly matchLabels: Labels }
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod }
    readonly volumeClaimTemplates?: readonly { readonly metadata: Named }[]
    readonly ports: readonly (Named & { readonly targetPort: string })[]
    readonly scaleTargetRef: Named & { readonly kind: string }
    readonly endpoints: readonly { readonly port: string }[]
    readonly tls?: readonly { readonly secretName: string; readonly hosts: readonly string[] }[]
    readonly rules: readonly {
      readonly host: string
      readonly http: {
        readonly paths: readonly { readonly backend: { readonly service: Named & { readonly port: Named } } }[]
      }
    }[]
  }
}

let place: string
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'whittle-chart-'))
  findTool('helm')
  findTool('kubeconform')
}, 600_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

const valuesFile = (values: object): string => {
  const path = join(place, 'values.yaml')
  writeFileSync(path, stringify(values))
  return path
}

const runHelm = (command: readonly string[], values: object): string =>
  execFileSync(findTool('helm'), [...command, '--kube-version', KUBERNETES, '--values', valuesFile(values)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const render = (values: object): string => runHelm(['template', 'shop', CHART], values)

const manifestsFor = (values: object): Manifest[] =>
  parseAllDocuments(render(values)).map((document) => document.toJS() as Manifest)

const includes = (labels: Labels, selector: Labels): boolean =>
  Object.keys(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value)
const names = (list: readonly Named[]): string[] => list.map(({ name }) => name)

const ALL = {
  ingress: { enabled: true, tlsSecret: 'images-tls' },
  metrics: { serviceMonitor: true },
  serviceAccount: { name: 'optimiser', annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/x' } },
  image: { pullSecrets: [{ name: 'registry' }], digest: `sha256:${'0'.repeat(64)}` },
  data: { persistence: true, storageClass: 'fast' },
  autoscaling: { enabled: false },
  tolerations: [{ key: 'images', operator: 'Exists' }],
  nodeSelector: { 'kubernetes.io/arch': 'arm64' },
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
  podAnnotations: { note: 'x' },
}
const BASIC = ['PodDisruptionBudget', 'Service', 'Service', 'StatefulSet']

describe.each<[string, object, readonly string[]]>([
  ['with its own values', {}, ['HorizontalPodAutoscaler', ...BASIC, 'ServiceAccount']],
  ['with every value changed', ALL, [...BASIC, 'Ingress', 'ServiceAccount', 'ServiceMonitor']],
])('the chart %s', (_, values, kinds) => {
  let manifests: Manifest[]
  const of = (kind: string): Manifest[] => manifests.filter((one) => one.kind === kind)
  const workload = () => of('StatefulSet')[0]!
  const pod = () => workload().spec.template
  const container = () => pod().spec.containers[0]!
  const service = (isHeadless: boolean) => of('Service').find(({ spec }) => (spec.clusterIP === 'None') === isHeadless)!
  beforeAll(() => {
    manifests = manifestsFor(values)
  })

  it('passes helm lint', () => {
    expect(
      execFileSync(findTool('helm'), ['lint', '--strict', CHART, '--values', valuesFile(values)]).toString(),
    ).toContain('0 chart(s) failed')
  })

  it('makes manifests that the schemas of Kubernetes accept', () => {
    const args = ['-strict', '-summary', '-output', 'json', '-kubernetes-version', KUBERNETES]
    const schemas = ['-skip', 'ServiceMonitor', '-schema-location', SCHEMAS]
    const report = JSON.parse(
      execFileSync(findTool('kubeconform'), [...args, ...schemas], { input: render(values), encoding: 'utf8' }),
    ) as { summary: { valid: number; invalid: number; errors: number } }
    const checked = kinds.filter((kind) => kind !== 'ServiceMonitor').length
    expect(report.summary).toMatchObject({ valid: checked, invalid: 0, errors: 0 })
  })

  it('makes each manifest once, with the labels of the release', () => {
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted())
    for (const { metadata } of manifests) expect(metadata.labels['app.kubernetes.io/instance']).toBe('shop')
  })

  it('selects the pods that it makes, by labels that no upgrade changes', () => {
    const { labels } = pod().metadata
    const selectors = [workload().spec.selector.matchLabels, service(true).spec.selector, service(false).spec.selector]
    const spread = pod().spec.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels)
    const budgets = of('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels)
    for (const selector of [...selectors, ...spread, ...budgets]) {
      expect(includes(labels, selector)).toBe(true)
      expect(Object.keys(selector)).not.toContain('helm.sh/chart')
    }
    for (const { spec } of of('ServiceMonitor'))
      expect(of('Service').filter(({ metadata }) => includes(metadata.labels, spec.selector.matchLabels))).toEqual([
        service(true),
      ])
  })

  it('names only ports, volumes, services and workloads that it makes', () => {
    const ports = names(container().ports)
    const { startupProbe, readinessProbe, livenessProbe } = container()
    const probed = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.port)
    const served = of('Service').flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort))
    expect([...probed, ...served].filter((port) => !ports.includes(port))).toEqual([])
    const claims = (workload().spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)
    expect(names([...pod().spec.volumes, ...claims]).toSorted()).toEqual(names(container().volumeMounts).toSorted())
    expect(workload().spec.serviceName).toBe(service(true).metadata.name)
    expect(pod().spec.serviceAccountName).toBe(of('ServiceAccount')[0]!.metadata.name)
    for (const { spec } of of('HorizontalPodAutoscaler'))
      expect([spec.scaleTargetRef.kind, spec.scaleTargetRef.name]).toEqual(['StatefulSet', workload().metadata.name])
    for (const { spec } of of('ServiceMonitor'))
      expect(names(service(true).spec.ports)).toContain(spec.endpoints[0]!.port)
  })

  it('keeps the metrics off the port that the ingress leads to', () => {
    expect(names(service(false).spec.ports)).toEqual(['http'])
    const metrics = container().ports.find(({ name }) => name === 'metrics')!
    const variable = container().env.find(({ name }) => name === 'METRICS_PORT')
    expect(variable?.value).toBe(String(metrics.containerPort))
    for (const { spec } of of('Ingress')) {
      const backend = spec.rules[0]!.http.paths[0]!.backend.service
      expect([backend.name, backend.port.name]).toEqual([service(false).metadata.name, 'http'])
      expect(spec.tls).toEqual([{ secretName: 'images-tls', hosts: [spec.rules[0]!.host] }])
    }
  })

  it('starts as many workers as the CPU limit has cores', () => {
    const workers = container().env.find(({ name }) => name === 'WORKERS')
    expect(workers?.valueFrom?.resourceFieldRef.resource).toBe('limits.cpu')
    expect(Object.keys(container().resources.limits)).toEqual(['cpu', 'memory'])
  })

  it('counts its pods itself only where nothing scales them', () => {
    expect(workload().spec.replicas === undefined).toBe(of('HorizontalPodAutoscaler').length === 1)
  })

  it('runs without root, writes only to its volumes, and sets texts alone', () => {
    expect(pod().spec.securityContext.runAsNonRoot).toBe(true)
    expect(container().securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    const set = container().env.filter(({ valueFrom }) => valueFrom === undefined)
    expect(set.filter(({ value }) => typeof value !== 'string')).toEqual([])
    expect(set.length).toBeGreaterThan(2)
  })
})

describe('values of the chart', () => {
  const podOf = (values: object): Pod =>
    manifestsFor(values).find(({ kind }) => kind === 'StatefulSet')!.spec.template.spec

  it('take an image by digest, and secrets to pull it with', () => {
    const { containers, imagePullSecrets } = podOf(ALL)
    expect(containers[0]!.image).toBe(`whittle@${ALL.image.digest}`)
    expect(imagePullSecrets).toEqual([{ name: 'registry' }])
    expect(podOf({ image: { tag: '9.9' } }).containers[0]!.image).toBe('whittle:9.9')
  })

  it('take an existing service account, and make none', () => {
    const manifests = manifestsFor({ serviceAccount: { create: false, name: 'theirs' } })
    expect(manifests.filter(({ kind }) => kind === 'ServiceAccount')).toEqual([])
    expect(podOf({ serviceAccount: { create: false, name: 'theirs' } }).serviceAccountName).toBe('theirs')
    expect(podOf({ serviceAccount: { create: false } }).serviceAccountName).toBe('default')
  })

  it('let WORKERS be set, and follow the CPU request where there is no limit', () => {
    const workersOf = (values: object) => podOf(values).containers[0]!.env.filter(({ name }) => name === 'WORKERS')
    expect(workersOf({ settings: { WORKERS: '3' } })).toEqual([{ name: 'WORKERS', value: '3' }])
    const [byRequest] = workersOf({ resources: { limits: { cpu: null } } })
    expect(byRequest?.valueFrom?.resourceFieldRef.resource).toBe('requests.cpu')
  })

  it('refuse several pods without stores that they share, and allow one', () => {
    expect(() => render({ existingSecret: '' })).toThrow('Several pods share their accounts and results')
    const alone = { existingSecret: '', replicas: 1, autoscaling: { enabled: false }, data: { persistence: true } }
    expect(podOf(alone).containers[0]).not.toHaveProperty('envFrom')
  })
})
