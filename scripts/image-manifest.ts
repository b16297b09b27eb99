/**
 * Writes what the container image installs, at the locked versions: the service's own dependencies, and the clients of
 * the stores that nodes share.
 * Usage: node scripts/image-manifest.ts DIRECTORY, then `npm ci --omit=dev` in it.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

type Versions = Readonly<Record<string, string>>

/** Packages of `whittle mcp`, which works on folders of a developer's machine. */
const MCP_PACKAGES: readonly string[] = ['@modelcontextprotocol/sdk', 'zod']

/** Debian has ffmpeg: the image with video takes that one. */
const isFfmpeg = (name: string): boolean => name.startsWith('@ffmpeg-installer/')

const without = (versions: Versions, isLeftOut: (name: string) => boolean): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => !isLeftOut(name)))

interface Manifest {
  readonly version: string
  readonly dependencies: Versions
  readonly optionalDependencies: Versions
  readonly peerDependencies: Versions
}

/** The manifest of the image; its lockfile is the project's own. */
export const imageManifest = ({ version, dependencies, optionalDependencies, peerDependencies }: Manifest) => ({
  name: 'whittle-image',
  version,
  private: true,
  dependencies: { ...dependencies, ...without(peerDependencies, (name) => MCP_PACKAGES.includes(name)) },
  optionalDependencies: without(optionalDependencies, isFfmpeg),
})

const write = (directory: string): void => {
  const manifest = imageManifest(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest)
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(ROOT, 'package-lock.json'), join(directory, 'package-lock.json'))
}

if (import.meta.main) write(process.argv[2] ?? '.')
