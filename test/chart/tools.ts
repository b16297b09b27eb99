/** Helm and kubeconform, from the PATH or built by Go. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const BIN = resolve(import.meta.dirname, '../../node_modules/.cache/go-bin')

/** The version of Kubernetes that manifests are made and checked for: that of test/fixtures/kubernetes. */
export const KUBERNETES = '1.34.0'

interface Tool {
  readonly name: string
  /** Go package with its version. */
  readonly source: string
}

const TOOLS = {
  helm: { name: 'helm', source: 'helm.sh/helm/v3/cmd/helm@v3.22.0' },
  kubeconform: { name: 'kubeconform', source: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7' },
} as const satisfies Record<string, Tool>

const isOnPath = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const build = ({ name, source }: Tool): void => {
  if (!isOnPath('go'))
    throw new Error(`There is neither ${name} nor Go (1.26 or newer), which builds it: go install ${source}`)
  mkdirSync(BIN, { recursive: true })
  execFileSync('go', ['install', source], {
    env: { ...process.env, GOBIN: BIN },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** The command of a tool. A machine without it builds it, which takes a minute or two the first time; without Go it throws. */
export const findTool = (name: keyof typeof TOOLS): string => {
  if (isOnPath(name)) return name
  const path = join(BIN, name)
  if (!existsSync(path)) build(TOOLS[name])
  return path
}
