import { describe, expect, test } from 'vitest'
import { openPinoLog } from '../../src/adapters/telemetry/pino.ts'
import { openPrometheusMetrics } from '../../src/adapters/telemetry/prometheus.ts'
import { redactUserInfo } from '../../src/adapters/telemetry/redact.ts'

describe('user info in addresses', () => {
  test.each([
    ['https://ada:secret@example.com/a.png', 'https://[redacted]@example.com/a.png'],
    ['https://secret@example.com/', 'https://[redacted]@example.com/'],
    ['HTTP://ada:secret@example.com', 'HTTP://[redacted]@example.com'],
    ['https://ada:s@cret@example.com/', 'https://[redacted]@example.com/'],
    ['https:/ada:secret@example.com/', 'https:/[redacted]@example.com/'],
    ['/u/full/https%3A%2F%2Fada%3Asecret%40example.com%2Fa', '/u/full/https%3A%2F%2F[redacted]%40example.com%2Fa'],
    ['https%253A%252F%252Fada%253Asecret%2540example.com', 'https%253A%252F%252F[redacted]%2540example.com'],
    ['https://ada:se%2Fcr%3Fet@example.com/a', 'https://[redacted]@example.com/a'],
    ['https%3A%2F%2Fada%3Ase%252Fcret%40example.com', 'https%3A%2F%2F[redacted]%40example.com'],
    ['https%3A//ada:secret@example.com/a', 'https%3A//[redacted]@example.com/a'],
    [
      'from http://a:b@one.example to http://c:d@two.example/x',
      'from http://[redacted]@one.example to http://[redacted]@two.example/x',
    ],
  ])('%s is written as %s', (text, redacted) => {
    expect(redactUserInfo(text)).toBe(redacted)
  })

  test.each([
    ['https://example.com/@ada/a@2x.png'],
    ['https://example.com?mail=ada@example.com'],
    ['https%3A%2F%2Fexample.com%2Fa%402x.png'],
    ['ada@example.com'],
    ['no address at all'],
  ])('%s holds none and stays as it is', (text) => {
    expect(redactUserInfo(text)).toBe(text)
  })
})

describe('the log', () => {
  const open = (level: string) => {
    const lines: string[] = []
    return { lines, log: openPinoLog({ level, destination: { write: (line: string) => void lines.push(line) } }) }
  }

  test('each line is one JSON object with level, time, message and the fields of its ancestors', () => {
    const { lines, log } = open('info')
    log.child({ requestId: 'r1' }).child({ route: 'optimise' }).warn({ status: 404 }, 'not found')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      requestId: 'r1',
      route: 'optimise',
      status: 404,
      msg: 'not found',
    })
  })

  test('lines below the level are not written', () => {
    const { lines, log } = open('warn')
    log.debug({}, 'no')
    log.info({}, 'no')
    log.error({}, 'yes')
    expect(lines).toHaveLength(1)
  })

  test('passwords are removed from fields, nested fields, messages, errors and stacks', () => {
    const { lines, log } = open('debug')
    const url = 'https://ada:secret@example.com/a.png'
    const err = new Error(`cannot fetch ${url}`, { cause: new Error(url) })
    log.child({ target: `/u/full/${url}` }).error({ url, deep: { urls: [url] }, err }, `failed: ${url}`)
    expect(lines.join('')).not.toContain('secret')
    expect(JSON.parse(lines[0]!).err.stack).toContain('cannot fetch https://[redacted]@example.com/a.png')
  })
})

describe('the metrics', () => {
  test("requests, stages, results and readings are exposed in Prometheus' format", async () => {
    const metrics = openPrometheusMetrics()
    metrics.answered({ route: 'optimise', status: 200, milliseconds: 300, bytesIn: 10, bytesOut: 70 })
    metrics.answered({ route: 'optimise', status: 402, milliseconds: 1 })
    metrics.stage('decode', 40)
    metrics.optimised({ format: 'jpeg', sourceBytes: 100, resultBytes: 70, encodes: 4, meetsTarget: false })
    metrics.optimised({ format: 'jpeg', sourceBytes: 100, resultBytes: 120, encodes: 2 })
    metrics.advanced('encode', 24)
    metrics.watch(() => ({
      queued: 3,
      busyWorkers: 2,
      workers: 4,
      restarts: 5,
      jobs: 6,
      detachedJobs: 1,
      oldestJobSeconds: 1.5,
      reservations: 7,
      journaled: 8,
      phases: [{ phase: 'score', done: 2, of: 4 }],
    }))
    const { contentType, body } = await metrics.expose()
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/)
    const lines = body.split('\n')
    for (const line of [
      'whittle_requests_total{route="optimise",status="200"} 1',
      'whittle_requests_total{route="optimise",status="402"} 1',
      'whittle_reservations_held 7',
      'whittle_journal_entries 8',
      'whittle_request_seconds_count{route="optimise"} 2',
      'whittle_stage_seconds_bucket{le="0.05",stage="decode"} 1',
      'whittle_stage_seconds_bucket{le="0.02",stage="decode"} 0',
      'whittle_received_bytes_total 10',
      'whittle_sent_bytes_total 70',
      'whittle_results_total{format="jpeg"} 2',
      'whittle_source_bytes_total{format="jpeg"} 200',
      'whittle_result_bytes_total{format="jpeg"} 190',
      'whittle_saved_bytes_total 30',
      'whittle_result_encodes_sum{format="jpeg"} 6',
      'whittle_missed_targets_total{format="jpeg"} 1',
      'whittle_progress_steps_total{phase="encode"} 24',
      'whittle_work_steps_done{phase="score"} 2',
      'whittle_work_steps{phase="score"} 4',
      'whittle_queue_depth 3',
      'whittle_workers_busy 2',
      'whittle_workers 4',
      'whittle_child_restarts_total 5',
      'whittle_jobs_under_way 6',
      'whittle_jobs_detached 1',
      'whittle_jobs_oldest_seconds 1.5',
    ]) {
      expect(lines).toContain(line)
    }
    expect((await metrics.expose()).body).toContain('whittle_child_restarts_total 5\n')
  })

  test('exposes build, store, fetches, both metrics and a bounded number of accounts', async () => {
    const metrics = openPrometheusMetrics({ version: '1.2.3', namedAccounts: 2 })
    const result = { format: 'jpeg', sourceBytes: 100, resultBytes: 70, encodes: 1 }
    metrics.optimised({ ...result, score: 72.5, butteraugli: 1.1 })
    metrics.optimised(result)
    for (const account of ['ada', 'bob', 'cyd', 'dan', 'ada'])
      metrics.served({
        account,
        stored: account === 'ada',
        sourceBytes: 100,
        resultBytes: account === 'cyd' ? 130 : 60,
      })
    metrics.fetchFailed('ORIGIN_TOO_SLOW')
    const lines = (await metrics.expose()).body.split('\n')
    for (const line of [
      `whittle_build_info{version="1.2.3",node="${process.version}"} 1`,
      'whittle_result_cache_total{outcome="hit"} 2',
      'whittle_result_cache_total{outcome="miss"} 3',
      'whittle_fetch_errors_total{kind="ORIGIN_TOO_SLOW"} 1',
      'whittle_result_score_sum{format="jpeg"} 72.5',
      'whittle_result_score_bucket{le="75",format="jpeg"} 1',
      'whittle_result_butteraugli_count{format="jpeg"} 1',
      'whittle_account_images_total{account="ada"} 2',
      'whittle_account_images_total{account="bob"} 1',
      'whittle_account_images_total{account="other"} 2',
      'whittle_account_saved_bytes_total{account="ada"} 80',
      'whittle_account_saved_bytes_total{account="other"} 40',
    ])
      expect(lines).toContain(line)
  })

  test('usernames are exposed only on request', async () => {
    const metrics = openPrometheusMetrics()
    metrics.served({ account: 'shop-7f3kq9x2', stored: false, sourceBytes: 2, resultBytes: 1 })
    expect((await metrics.expose()).body).not.toContain('shop-7f3kq9x2')
  })

  test('two services in one process are counted separately', async () => {
    const [one, two] = [openPrometheusMetrics(), openPrometheusMetrics()]
    one.answered({ route: 'optimise', status: 200, milliseconds: 1 })
    expect((await two.expose()).body).not.toContain('route="optimise"')
  })
})
