import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { threadId } from 'node:worker_threads'
import sharp from 'sharp'
import type { RunningService } from '../../scripts/corpus/service.ts'
import { withComment } from '../jpeg-comment.ts'

const run = promisify(execFile)
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const PHOTO = fileURLToPath(new URL('../fixtures/jpeg/kodim23-190x158.png', import.meta.url))

type Settings = Pick<RunningService, 'dataDir'>

/** Runs `whittle accounts …` on a service's data directory; resolves with what it printed. */
export const accounts = async ({ dataDir }: Settings, ...args: readonly string[]): Promise<string> => {
  const env = { ...process.env, DATA_DIR: dataDir }
  return (await run(process.execPath, [MAIN, 'accounts', ...args], { env })).stdout
}

/** A photograph of a size in px, as JPEG. */
export const photograph = (width: number, height: number): Promise<Buffer> =>
  sharp(PHOTO).resize(width, height, { fit: 'fill' }).jpeg({ quality: 92 }).toBuffer()

let made = 0
const OWN = `${process.pid}-${threadId}`
/** The same JPEG in other bytes, so that no request shares its work. */
export const unlike = (jpeg: Buffer): Buffer => {
  made += 1
  return withComment(jpeg, `${OWN}-${made}`)
}

/** Response to an upload. */
export interface Reply {
  /** 0 for no answer. */
  readonly status: number
  /** Until the whole answer was there, and of that until a worker was free. */
  readonly ms: number
  readonly queueMs: number
  readonly retryAfter: boolean
}

const queueOf = (headers: Headers): number =>
  Number(/queue;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1] ?? 0)

/** Uploads an image for an account. */
export const ask = async (
  address: string,
  target: string,
  body: Buffer,
  signal: AbortSignal = AbortSignal.timeout(90_000),
): Promise<Reply> => {
  const since = performance.now()
  try {
    const answer = await fetch(`${address}/${target}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'image/jpeg' },
      body: new Uint8Array(body),
      signal,
    })
    await answer.arrayBuffer()
    const { status, headers } = answer
    return { status, ms: performance.now() - since, queueMs: queueOf(headers), retryAfter: headers.has('retry-after') }
  } catch {
    return { status: 0, ms: performance.now() - since, queueMs: 0, retryAfter: false }
  }
}

/** Runs `work` again and again, `atOnce` at a time, until it is stopped. */
export const keepBusy = (atOnce: number, work: () => Promise<unknown>): { readonly stop: () => Promise<void> } => {
  let over = false
  const each = Array.from({ length: atOnce }, async () => {
    while (!over) await work()
  })
  return {
    stop: async () => {
      over = true
      await Promise.all(each)
    },
  }
}
