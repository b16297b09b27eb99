/** Gives a run of the tests a temporary directory of its own, and fails it when anything is left in there at its end. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One directory for each user, with the configuration of the fonts that come with the service: it stays on purpose. */
const STAYS = /^whittle-fonts-/

/** Says which process has a directory: a run of two projects calls this twice, and has one. */
const OWNER = 'WHITTLE_TESTS_TMPDIR_OWNER'

export default (): (() => void) => {
  if (process.env[OWNER] === String(process.pid)) return () => undefined
  const directory = mkdtempSync(join(tmpdir(), 'whittle-run-'))
  const usual = process.env['TMPDIR']
  // Workers, services and their children inherit it.
  process.env['TMPDIR'] = directory
  process.env[OWNER] = String(process.pid)
  return () => {
    const left = readdirSync(directory).filter((name) => !STAYS.test(name))
    rmSync(directory, { recursive: true, force: true })
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
    if (left.length === 0) return
    console.error(`Tests, or what they tested, left in the temporary directory: ${left.join(', ')}`)
    process.exitCode = 1
  }
}
