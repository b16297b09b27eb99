/**
 * Writes sbom.cdx.json, a CycloneDX list of the packages that an installation consists of, at the locked versions. It includes the
 * packages that the build copies files from.
 * Usage: node scripts/write-sbom.ts (npm calls it while it packs)
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Packages whose parts lie in the package itself (scripts/bundle-mediabunny.ts, scripts/copy-fonts.ts). */
const BUNDLED = { mediabunny: 'MPL-2.0', 'dejavu-fonts-ttf': 'Bitstream-Vera' } as const

const bundled = Object.entries(BUNDLED).map(([name, id]) => {
  const { version } = JSON.parse(readFileSync(`${ROOT}node_modules/${name}/package.json`, 'utf8')) as {
    version: string
  }
  const purl = `pkg:npm/${name}@${version}`
  return { type: 'library', 'bom-ref': purl, name, version, purl, scope: 'required', licenses: [{ license: { id } }] }
})

const bill = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64e6,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const parsed = JSON.parse(bill) as { components: object[] }
parsed.components.push(...bundled)
writeFileSync(`${ROOT}sbom.cdx.json`, JSON.stringify(parsed, null, 2))
