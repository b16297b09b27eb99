import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('kernel-results.ts', import.meta.url))
const FLAGS = ['--disable-warning=ExperimentalWarning', '--trace-wasm-revectorize']

const resultsWith = async (vectors: string) => {
  const env = { ...process.env, KERNEL_VECTORS: vectors }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...FLAGS, SCRIPT], { env, maxBuffer: 256e6 })
  return { results: JSON.parse(stderr), joined: stdout.split('Decide to vectorize').length - 1 }
}

const joinsVectors =
  process.arch === 'x64' &&
  process.versions.v8.startsWith('13.6.') &&
  process.platform === 'linux' &&
  readFileSync('/proc/cpuinfo', 'utf8').includes(' avx2 ')

describe('kernels with vectors of 256 bits', () => {
  it('return the same bits for every image as with 128', async () => {
    const [wide, narrow] = [await resultsWith('auto'), await resultsWith('128')]
    expect(wide.results).toEqual(narrow.results)
    const [, face] = wide.results.attention
    expect([face.faces.length, face.objects.length > 0]).toEqual([1, true])
    expect(narrow.joined).toBe(0)
    if (joinsVectors) expect(wide.joined).toBeGreaterThan(0)
  })
})
