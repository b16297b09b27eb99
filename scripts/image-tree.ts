/** The file tree of a Dockerfile, built stage by stage in directories: COPY and RUN, without a daemon. Needs root and mmdebstrap. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkoutFiles } from './checkout-files.ts'
import { type Instruction, readDockerfile, stageOf } from './dockerfile.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A stage that is being built, or was. */
export interface Stage {
  readonly root: string
  workdir: string
  /** `host`: RUN uses the programs of this machine; `tree`: those of the stage's own tree, as root in it. */
  readonly runsIn: 'host' | 'tree'
}

/** A path of a stage on this machine. */
export const within = ({ root, workdir }: Stage, path: string): string =>
  join(root, path.startsWith('/') ? path : join(workdir, path))

/** Arguments of bwrap that make a directory the root of what runs, with this machine's network. */
export const treeArguments = (root: string, bind: '--bind' | '--ro-bind'): readonly string[] => {
  const hosts = ['/etc/resolv.conf', '/etc/hosts'].filter((path) => existsSync(path))
  const devices = ['--dev', '/dev', '--proc', '/proc', '--unshare-pid', '--unshare-ipc', '--die-with-parent']
  return [bind, root, '/', ...hosts.flatMap((path) => ['--ro-bind-try', path, path]), ...devices]
}

const ignored = readFileSync(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n').filter(Boolean)

/** Files of the checkout that git lists, without those that the image leaves out. */
const contextFiles = (): readonly string[] =>
  checkoutFiles(ROOT).filter((file) => !ignored.some((prefix) => file === prefix || file.startsWith(`${prefix}/`)))

const copy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}

const copyFromContext = (stage: Stage, sources: readonly string[], target: string): void => {
  const files = sources.includes('.') ? contextFiles() : sources
  for (const file of files) copy(join(ROOT, file), join(within(stage, target), file))
}

const runStep = (stage: Stage, command: string): void => {
  process.stdout.write(`RUN ${command}\n`)
  const { root, workdir } = stage
  const inTree = [...treeArguments(root, '--bind'), '--cap-add', 'ALL', '--chdir', workdir, 'sh', '-euc', command]
  if (stage.runsIn === 'tree') execFileSync('bwrap', inTree, { stdio: ['ignore', 'ignore', 'inherit'] })
  else execFileSync('bash', ['-euc', command], { cwd: within(stage, '.'), stdio: ['ignore', 'ignore', 'inherit'] })
}

const perform = (stage: Stage, { name, args, from }: Instruction, stages: ReadonlyMap<string, Stage>): void => {
  if (name === 'WORKDIR') {
    stage.workdir = args[0] ?? '/'
    mkdirSync(within(stage, '.'), { recursive: true })
  }
  if (name === 'COPY' && from !== undefined)
    copy(within(stages.get(from)!, args[0] ?? ''), within(stage, args[1] ?? ''))
  if (name === 'COPY' && from === undefined) copyFromContext(stage, args.slice(0, -1), args.at(-1) ?? '.')
  if (name === 'RUN') runStep(stage, args.join(' '))
}

/** Debian as its image has it: what the package manager needs, and nothing else. */
const makeDebian = (root: string): void => {
  // Debian's image keeps no cache of packages either.
  const noCaches = ['Dir::Cache::pkgcache', 'Dir::Cache::srcpkgcache'].map((name) => `--aptopt=${name} "";`)
  const noPackages = `--aptopt=DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };`
  const args = ['--quiet', '--variant=minbase', ...noCaches, noPackages, 'bookworm', root]
  execFileSync('mmdebstrap', args, { stdio: ['ignore', 'inherit', 'inherit'] })
}

/** Opens the builder of a Dockerfile's stages, each in a directory of its own below `place`. */
export const openTreeBuilder = (dockerfile: string, place: string) => {
  const instructions = readDockerfile(readFileSync(join(ROOT, dockerfile), 'utf8'))
  const stages = new Map<string, Stage>()
  const open = (name: string, base: 'host' | 'debian'): Stage => {
    const stage: Stage = { root: join(place, name), workdir: '/', runsIn: base === 'host' ? 'host' : 'tree' }
    stages.set(name, stage)
    if (base === 'debian') makeDebian(stage.root)
    else mkdirSync(stage.root)
    return stage
  }
  return {
    open,
    build: (name: string): void => {
      for (const instruction of stageOf(instructions, name)) perform(stages.get(name)!, instruction, stages)
    },
    /** The words of an instruction of a stage; of several the last. */
    wordsOf: (stage: string, name: string): string =>
      stageOf(instructions, stage)
        .findLast((one) => one.name === name)
        ?.args.join(' ') ?? '',
  }
}
