import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const CLIENT = resolve(import.meta.dirname, '../../packages/client')
const INSTALLED = join(import.meta.dirname, 'node_modules/@whittle-images/client')

/** Installs the client's tarball next to the frameworks: files that npm would not publish are missing here too. */
export const setup = (): void => {
  const place = mkdtempSync(join(tmpdir(), 'whittle-client-pack-'))
  try {
    const output = execFileSync('npm', ['pack', '--json', '--pack-destination', place], {
      cwd: CLIENT,
      encoding: 'utf8',
    })
    const [packed] = JSON.parse(output.slice(output.indexOf('[\n'))) as { readonly filename: string }[]
    rmSync(INSTALLED, { recursive: true, force: true })
    mkdirSync(INSTALLED, { recursive: true })
    execFileSync('tar', ['-xzf', join(place, packed!.filename), '-C', INSTALLED, '--strip-components=1'])
  } finally {
    rmSync(place, { recursive: true })
  }
}
