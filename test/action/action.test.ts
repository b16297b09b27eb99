import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { commentText, MARKER } from '../../scripts/action/report.ts'
import { scratchDirectory } from '../scratch.ts'

// Each run starts the command, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 })

const ROOT = resolve(import.meta.dirname, '../..')
const PHOTO = join(ROOT, 'test/fixtures/jpeg/kodim23-190x158.png')

interface Request {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly body: string
}

/** State of GitHub: files and comments of pull request 7, and whether the token may write. */
let files: readonly { readonly filename: string; readonly status: string }[]
let comments: { id: number; body: string; user?: object; author_association?: string }[]
let mayWrite: boolean
const requests: Request[] = []

const answer = (method: string, path: string, body: string): { status: number; value: unknown } => {
  if (method === 'GET' && path.startsWith('/repos/me/site/pulls/7/files'))
    return { status: 200, value: pageOf(files, path) }
  if (method === 'GET' && path.startsWith('/repos/me/site/issues/7/comments'))
    return { status: 200, value: pageOf(comments, path) }
  if (!mayWrite) return { status: 403, value: {} }
  const text = (JSON.parse(body) as { body: string }).body
  if (method === 'POST' && path === '/repos/me/site/issues/7/comments')
    comments.push({ id: comments.length + 1, body: text, user: { type: 'Bot' } })
  else if (method === 'PATCH')
    comments = comments.map((each) => (path.endsWith(`/${each.id}`) ? { ...each, body: text } : each))
  else return { status: 404, value: {} }
  return { status: 201, value: {} }
}

const pageOf = <Item>(items: readonly Item[], path: string): readonly Item[] => {
  const page = Number(new URL(path, 'http://github').searchParams.get('page'))
  return items.slice((page - 1) * 100, page * 100)
}

let server: Server
let place: string
beforeAll(async () => {
  place = await scratchDirectory('action')
  mkdirSync(join(place, 'site/img'), { recursive: true })
  copyFileSync(PHOTO, join(place, 'site/img/photo.png'))
  copyFileSync(PHOTO, join(place, 'secret.png'))
  symlinkSync('../../secret.png', join(place, 'site/img/link.png'))
  writeFileSync(join(place, 'site/img/broken.png'), 'no image')
  writeFileSync(join(place, 'event.json'), '{"pull_request":{"number":7}}')
  server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    const { method = '', url = '' } = request
    requests.push({ method, path: url, token: request.headers.authorization ?? '', body })
    const { status, value } = answer(method, url, body)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())
beforeEach(() => {
  files = [{ filename: 'img/photo.png', status: 'added' }]
  comments = [{ id: 1, body: 'Nice!' }]
  mayWrite = true
  requests.length = 0
  writeFileSync(join(place, 'summary.md'), '')
})

const act = (env: Record<string, string> = {}): Promise<{ code: number; stdout: string; summary: string }> =>
  new Promise((done) => {
    const around = {
      PATH: process.env['PATH'],
      XDG_CACHE_HOME: join(place, 'cache'),
      GITHUB_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      GITHUB_EVENT_PATH: join(place, 'event.json'),
      GITHUB_REPOSITORY: 'me/site',
      GITHUB_WORKSPACE: join(place, 'site'),
      GITHUB_STEP_SUMMARY: join(place, 'summary.md'),
      GITHUB_TOKEN: 'token',
      ...env,
    }
    execFile(process.execPath, [join(ROOT, 'scripts/action/main.ts')], { env: around }, (error, stdout) =>
      done({
        code: typeof error?.code === 'number' ? error.code : 0,
        stdout,
        summary: readFileSync(join(place, 'summary.md'), 'utf8'),
      }),
    )
  })

describe('the action on a pull request', () => {
  it('comments with what its images could save', async () => {
    const { code, summary } = await act()
    expect([code, comments.length]).toEqual([0, 2])
    expect(comments[1]!.body).toMatch(
      /\| <code>img\/photo\.png<\/code> \| 63\.3 kB \| [\d.]+ kB JPEG \| 9\d % \| [\d.]+ \|/,
    )
    expect(summary).toBe(comments[1]!.body)
    expect(new Set(requests.map(({ token }) => token))).toEqual(new Set(['Bearer token']))
  })

  it('replaces its comment of the run before, also when nothing is left to save', async () => {
    await act()
    files = []
    await act()
    expect([comments.length, comments[1]!.body]).toEqual([2, expect.stringContaining('are fine')])
  })

  it('replaces no comment of a stranger that begins like its own', async () => {
    comments = [
      { id: 1, body: `${MARKER} mine`, user: { type: 'User' }, author_association: 'FIRST_TIME_CONTRIBUTOR' },
      { id: 2, body: `${MARKER} of a token`, user: { type: 'User' }, author_association: 'MEMBER' },
    ]
    await act()
    expect(comments.map(({ body }) => body.slice(0, 40))).toEqual([
      `${MARKER} mine`,
      expect.stringMatching(/^<!-- whittle-images -->\n\*\*1 image/),
    ])
  })

  it('writes no other command of the runner where a text has several lines', async () => {
    const { code, stdout } = await act({ WHITTLE_MINIMUM: 'best\n::add-mask::50%' })
    expect([code, stdout.split('\n').filter((line) => line.startsWith('::')).length]).toEqual([1, 1])
  })

  it('writes no comment where there is nothing to say', async () => {
    files = [{ filename: 'readme.md', status: 'modified' }]
    expect((await act()).code).toBe(0)
    expect(comments).toHaveLength(1)
  })

  it('reads every page of files, and neither removed ones nor links', async () => {
    files = [
      ...Array.from({ length: 150 }, (_, at) => ({ filename: `img/removed-${at}.png`, status: 'removed' })),
      { filename: 'img/link.png', status: 'added' },
      { filename: '../secret.png', status: 'added' },
      { filename: 'img/broken.png', status: 'added' },
      { filename: 'img/photo.png', status: 'renamed' },
    ]
    await act()
    expect(comments[1]!.body).toContain('**1 image of this pull request could be')
    expect(comments[1]!.body).toContain('1 image could not be read.')
    expect(comments[1]!.body).not.toMatch(/secret|link\.png/)
  })

  it('warns and shows the table in the summary where the token may not write, as in forks', async () => {
    mayWrite = false
    const { code, stdout, summary } = await act()
    expect([code, stdout, summary]).toEqual([
      0,
      expect.stringContaining('::warning::The token may not comment (403)'),
      expect.stringContaining('photo.png'),
    ])
  })

  it('fails above the percentage of check, and for a percentage that is none', async () => {
    expect(await act({ WHITTLE_CHECK: '50' })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('the limit is 50 %25.'),
    })
    expect((await act({ WHITTLE_CHECK: '99.9' })).code).toBe(0)
    expect(await act({ WHITTLE_MINIMUM: 'much' })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('takes a percentage'),
    })
  })
})

it('a file name cannot write Markdown, HTML or a mention into the comment', () => {
  const path = 'a|`<img src=x>@admin\n[x](y).png'
  const text = commentText([{ kind: 'smaller', path, format: 'png', sourceBytes: 1000, bytes: 10 }], {
    quality: 'medium',
    minimum: 10,
  })
  expect(text).not.toMatch(/<img|@admin|\[x\]|`<|\n\[/)
  expect(text.startsWith(MARKER)).toBe(true)
})

it('action.yml hands every input to the script that reads it', () => {
  const { inputs, runs } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
    inputs: Record<string, object>
    runs: { steps: { run?: string; env?: Record<string, string> }[] }
  }
  const { run = '', env = {} } = runs.steps.at(-1)!
  const used = Object.values(env).map((value) => /inputs\.(\w+)/.exec(value)?.[1])
  expect(used.toSorted()).toEqual(Object.keys(inputs).toSorted())
  const script = readFileSync(join(ROOT, /scripts\/[\w/.]+/.exec(run)![0]), 'utf8')
  expect(Object.keys(env).filter((name) => !script.includes(name))).toEqual([])
})
