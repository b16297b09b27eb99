import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { checkSite, DEPLOYED, nginxVersion } from './servers/nginx.ts'

const deployed = await readFile(DEPLOYED, 'utf8')
/** As the comment in the file says for versions before 1.27.3. */
const withoutResolve = deployed.replace(/^resolver .*\n/m, '').replaceAll(' resolve ', ' ')

/** Whether nginx looks up names of an upstream while it runs: from 1.27.3 on. */
const [major = 0, minor = 0, patch = 0] = await nginxVersion()
const looksUpLater = major * 1e6 + minor * 1e3 + patch >= 1_027_003

describe('the deployed configuration of nginx', () => {
  test.runIf(looksUpLater)('starts while names of nodes do not resolve', async () => {
    expect(await checkSite(deployed)).toMatch(/successful$/)
  })

  test.skipIf(looksUpLater)('is refused before nginx 1.27.3, by the word "resolve"', async () => {
    expect(await checkSite(deployed)).toContain('invalid parameter "resolve"')
  })

  test('nginx without "resolve" starts if each name resolves, and else names the one that does not', async () => {
    const known = withoutResolve.replaceAll(/node-[abc]:/g, 'localhost:')
    expect(await checkSite(known)).toMatch(/successful$/)
    const unknown = known.replace('localhost:', 'node-a.invalid:')
    expect(await checkSite(unknown)).toContain('host not found in upstream "node-a.invalid:8080"')
  })
})
