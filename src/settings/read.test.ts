import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { type Environment, readSettings } from './read.ts'
import type { SettingRow } from './rows/row.ts'
import { SETTINGS, type Settings } from './settings.ts'

const settingsOf = (env: Environment): Settings => {
  const read = readSettings(env)
  if (read.kind === 'wrong') throw new Error(read.problems.join('\n'))
  return read.settings
}

const problemsOf = (env: Environment): readonly string[] => {
  const read = readSettings(env)
  return read.kind === 'wrong' ? read.problems : []
}

describe('settings', () => {
  it('settings have the defaults of the table when nothing is set', () => {
    const defaults = Object.entries(SETTINGS).map(([name, row]) => [name, (row as SettingRow<unknown>).default])
    expect(settingsOf({})).toEqual(Object.fromEntries(defaults))
  })

  it('defaults are safe: loopback only, no private sources, no trusted proxies, limits on', () => {
    expect(settingsOf({})).toMatchObject({
      host: '127.0.0.1',
      allowPrivateSources: [],
      trustProxy: { kind: 'none' },
      requestIdHeader: undefined,
      secret: undefined,
      maxSourceBytes: 50_000_000,
      maxPixels: 100_000_000,
      maxTimeoutSeconds: 30,
      workerMemoryLimit: undefined,
      queueLimit: 128,
      workers: availableParallelism(),
    })
  })

  it.each(Object.entries(SETTINGS))('%s: the default as documented reads as the default', (_, row) => {
    const { shown, read, default: value } = row as SettingRow<unknown>
    if (shown !== '' && !shown.includes(' ')) expect(read(shown)).toEqual({ value })
  })

  it('empty and blank values count as unset', () => {
    expect(settingsOf({ PORT: '', HOST: '  ', PUBLIC_URL: '' })).toEqual(settingsOf({}))
  })

  it('unknown variables are ignored', () => {
    expect(settingsOf({ PATH: '/bin', PORTS: 'x' })).toEqual(settingsOf({}))
  })

  it.each<[Environment, Partial<Settings>]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: ' 3000 ' }, { port: 3000 }],
    [{ HOST: '[::1]' }, { host: '::1' }],
    [{ HOST: 'localhost' }, { host: 'localhost' }],
    [{ PUBLIC_URL: 'https://img.example.com/optim/' }, { publicUrl: 'https://img.example.com/optim' }],
    [{ PUBLIC_URL: 'http://localhost:8080' }, { publicUrl: 'http://localhost:8080' }],
    [{ PATH_PREFIX: '/a/b/' }, { pathPrefix: '/a/b' }],
    [{ PATH_PREFIX: '/' }, { pathPrefix: '' }],
    [{ MAX_SOURCE_BYTES: '1000' }, { maxSourceBytes: 1000 }],
    [{ MAX_SOURCE_BYTES: '1.5 MB' }, { maxSourceBytes: 1_500_000 }],
    [{ MAX_SOURCE_BYTES: '1MiB' }, { maxSourceBytes: 1_048_576 }],
    [{ REDIRECT_AFTER: '0.5' }, { redirectAfterMs: 500 }],
    [{ REDIRECT_AFTER: '250ms' }, { redirectAfterMs: 250 }],
    [{ MAX_TIMEOUT: '2m' }, { maxTimeoutSeconds: 120 }],
    [{ RESULTS_MAX_AGE: '7d' }, { resultsMaxAgeMs: 604_800_000 }],
    [
      { ALLOW_PRIVATE_SOURCES: '10.0.0.0/8, ::1,127.0.0.1' },
      { allowPrivateSources: ['10.0.0.0/8', '::1/128', '127.0.0.1/32'] },
    ],
    [{ TRUST_PROXY: 'true' }, { trustProxy: { kind: 'all' } }],
    [{ TRUST_PROXY: 'false' }, { trustProxy: { kind: 'none' } }],
    [{ TRUST_PROXY: '2' }, { trustProxy: { kind: 'hops', hops: 2 } }],
    [{ TRUST_PROXY: '172.16.0.0/12' }, { trustProxy: { kind: 'ranges', ranges: ['172.16.0.0/12'] } }],
    [{ LOG_LEVEL: 'WARN' }, { logLevel: 'warn' }],
    [{ REQUEST_ID_HEADER: 'X-Request-Id' }, { requestIdHeader: 'x-request-id' }],
    [{ DATABASE_URL: 'postgres://u:p@db/whittle' }, { databaseUrl: 'postgres://u:p@db/whittle' }],
    [{ RESULTS_URL: 's3://bucket' }, { resultsUrl: { bucket: 'bucket', prefix: '' } }],
    [
      { RESULTS_URL: 's3://my.bucket/a/b/?endpoint=http%3A%2F%2F10.0.0.1%3A9000&region=eu-1' },
      { resultsUrl: { bucket: 'my.bucket', prefix: 'a/b/', endpoint: 'http://10.0.0.1:9000', region: 'eu-1' } },
    ],
    [{ FFMPEG_PATH: '/usr/bin/ffmpeg' }, { ffmpegPath: '/usr/bin/ffmpeg' }],
    [{ KERNEL_VECTORS: '128' }, { kernelVectors: '128' }],
  ])('reads %j', (env, expected) => {
    expect(settingsOf(env)).toMatchObject(expected)
  })

  it.each<[Environment, string]>([
    [
      { PORT: 'abc' },
      'PORT is "abc": expected a whole number from 0 to 65535. Correct it, or unset it for the default (8080).',
    ],
    [
      { PORT: '65536' },
      'PORT is "65536": expected a whole number from 0 to 65535. Correct it, or unset it for the default (8080).',
    ],
    [
      { MAX_SOURCE_BYTES: '50 apples' },
      'MAX_SOURCE_BYTES is "50 apples": expected a number of bytes of at least 1, plain or with a unit (50000000, 50MB, 48MiB). Correct it, or unset it for the default (50MB).',
    ],
    [
      { RESULTS_MAX_AGE: '59m' },
      'RESULTS_MAX_AGE is "59m": expected seconds from 3600 to 31536000, plain or with a unit (500ms, 20s, 5m, 24h). Correct it, or unset it for the default (24h).',
    ],
    [
      { ALLOW_PRIVATE_SOURCES: '10.0.0.0/33' },
      'ALLOW_PRIVATE_SOURCES is "10.0.0.0/33": expected address ranges separated by commas, such as 10.0.0.0/8,fd00::/8. Correct it, or unset it.',
    ],
    [
      { PUBLIC_URL: 'images.example.com' },
      'PUBLIC_URL is "images.example.com": expected an absolute http or https address without query, such as https://images.example.com/optim. Correct it, or unset it.',
    ],
    [
      { PATH_PREFIX: 'optim' },
      'PATH_PREFIX is "optim": expected a path that starts with a slash, such as /optim. Correct it, or unset it.',
    ],
    [
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL is "loud": expected one of trace, debug, info, warn, error, fatal, silent. Correct it, or unset it for the default (info).',
    ],
    [
      { TRUST_PROXY: 'nginx' },
      'TRUST_PROXY is "nginx": expected false, true, a number of proxies from 1 to 20, or their address ranges such as 10.0.0.0/8. Correct it, or unset it for the default (false).',
    ],
    [
      { WORKERS: '0' },
      'WORKERS is "0": expected a whole number from 1 to 1024. Correct it, or unset it for the default (number of processor cores).',
    ],
    [
      { HOST: 'http://x' },
      'HOST is "http://x": expected an IP address or host name to listen on, such as 127.0.0.1, :: or localhost. Correct it, or unset it for the default (127.0.0.1).',
    ],
  ])('refuses %j in one sentence', (env, problem) => {
    expect(problemsOf(env)).toEqual([problem])
  })

  it.each([
    [{ DATABASE_URL: 'mysql://ada:hunter2@db/x' }],
    [{ DATABASE_URL: 'postgres://ada:hunter2@' }],
    [{ SECRET: 'hunter2' }],
    [{ REDIS_URL: 'http://:hunter2@redis' }],
    [{ REDIS_URL: 'redis://:hunter2@redis/x' }],
    [{ REDIS_URL: 'redis://:hunter2%@redis' }],
    [{ REDIS_URL: 'redis://hunter2%:41@redis' }],
    [{ RESULTS_URL: 's3://key:hunter2@bucket' }],
    [{ RESULTS_URL: 's3://bucket/hunter2%' }],
    [{ RESULTS_URL: 's3://bucket?secret=hunter2' }],
    [{ RESULTS_URL: 'https://hunter2.example.com/bucket' }],
  ])('never shows a secret: %j', (env) => {
    const [problem] = problemsOf(env)
    expect(problem).toMatch(/^[A-Z_]+ is not usable: expected /)
    expect(problem).not.toContain('hunter2')
  })

  it('reports all problems at once', () => {
    expect(problemsOf({ PORT: '-1', WORKERS: 'many', LOG_LEVEL: 'x', DATA_DIR: '/tmp' })).toHaveLength(3)
  })

  it('names of object properties are no values', () => {
    expect(problemsOf({ TRUST_PROXY: 'constructor' })).toHaveLength(1)
  })

  it('shortens a long value in a problem', () => {
    expect(problemsOf({ PORT: 'x'.repeat(10_000) })[0]?.length).toBeLessThan(250)
  })

  it('warns about a queue shorter than the contract promises', () => {
    expect(readSettings({ QUEUE_LIMIT: '4' })).toMatchObject({ kind: 'ok', warnings: [expect.stringContaining('128')] })
    expect(readSettings({ QUEUE_LIMIT: '128' })).toMatchObject({ kind: 'ok', warnings: [] })
  })
})
