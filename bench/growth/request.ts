import type { RunningService } from '../../scripts/corpus/service.ts'

/** One request to a service, and what it took. */
export interface Taken {
  readonly status: number
  readonly bytes: number
  readonly seconds: number
  /** CPU of all of the service's processes, ms. */
  readonly cpuMs: number
  /** Most resident memory of all of the service's processes above that before the request, MB. */
  readonly peakMb: number
  /** Warnings of the answer, in one line. */
  readonly warning: string
}

/** ms between two looks at the memory. */
const LOOK_MS = 40

const residentMb = async (service: RunningService): Promise<number> => {
  const { server, children } = await service.memory()
  return children.reduce((sum, bytes) => sum + bytes, server) / 1e6
}

/** Posts an image and follows a redirect to its result. */
const post = async (service: RunningService, options: string, body: Buffer<ArrayBuffer>): Promise<Response> => {
  const first = await fetch(`${service.address}/demo/${options}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body,
    redirect: 'manual',
  })
  const location = first.headers.get('location')
  if (first.status !== 303 || location === null) return first
  await first.arrayBuffer()
  return fetch(new URL(location, service.address))
}

/** Sends one request and measures what the service takes for it. */
export const measureRequest = async (
  service: RunningService,
  options: string,
  body: Buffer<ArrayBuffer>,
): Promise<Taken> => {
  const rest = await residentMb(service)
  const cpuBefore = await service.cpuSeconds()
  let peak = rest
  let isOver = false
  const watch = (async (): Promise<void> => {
    while (!isOver) {
      peak = Math.max(peak, await residentMb(service))
      await new Promise((done) => setTimeout(done, LOOK_MS))
    }
  })()
  const since = performance.now()
  const response = await post(service, options, body)
  const bytes = (await response.arrayBuffer()).byteLength
  const seconds = (performance.now() - since) / 1000
  isOver = true
  await watch
  return {
    status: response.status,
    bytes,
    seconds,
    cpuMs: ((await service.cpuSeconds()) - cpuBefore) * 1000,
    peakMb: peak - rest,
    warning: response.headers.get('warning') ?? '',
  }
}
