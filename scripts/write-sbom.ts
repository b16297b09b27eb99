/**
 * Writes sbom.cdx.json: what the package consists of when it is installed, at the locked versions, as CycloneDX.
 * Usage: node scripts/write-sbom.ts (npm calls it while it packs)
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const bill = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64e6,
  stdio: ['ignore', 'pipe', 'inherit'],
})
writeFileSync(`${ROOT}sbom.cdx.json`, bill)
