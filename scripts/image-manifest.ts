/**
 * Writes what the container image installs, at the locked versions: the service's own dependencies, and the optional
 * peers of stores that nodes share. The image takes Debian's ffmpeg, so the one of npm stays out.
 * Usage: node scripts/image-manifest.ts DIRECTORY, then `npm ci --omit=dev` in it.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

type Versions = Readonly<Record<string, string>>

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
  dependencies: { ...dependencies, ...peerDependencies },
  optionalDependencies: Object.fromEntries(
    Object.entries(optionalDependencies).filter(([name]) => !name.startsWith('@ffmpeg-installer/')),
  ),
})

const write = (directory: string): void => {
  const manifest = imageManifest(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest)
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(ROOT, 'package-lock.json'), join(directory, 'package-lock.json'))
}

if (import.meta.main) write(process.argv[2] ?? '.')
