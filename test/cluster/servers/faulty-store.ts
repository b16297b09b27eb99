import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Fault of the store in the body of the next objects that are read. */
export type StoreFault = 'none' | 'cut' | 'stalled' | 'altered' | 'shorter' | 'swapped' | 'hanging' | 'broken'

export interface FaultyStore extends AsyncDisposable {
  readonly url: string
  readonly become: (fault: StoreFault) => void
}

type Reply = (response: ServerResponse, answer: IncomingMessage, body: Buffer) => void

const head = (response: ServerResponse, answer: IncomingMessage, length: number): ServerResponse =>
  response.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'content-length': length })

const FAULTS: Readonly<Record<Exclude<StoreFault, 'none' | 'hanging' | 'broken' | 'swapped'>, Reply>> = {
  cut: (response, answer, body) => {
    head(response, answer, body.length).write(body.subarray(0, body.length >> 1), () => response.destroy())
  },
  stalled: (response, answer, body) =>
    void head(response, answer, body.length).write(body.subarray(0, body.length >> 1)),
  altered: (response, answer, body) => void head(response, answer, body.length).end(body.map((byte) => byte ^ 1)),
  shorter: (response, answer, body) => void head(response, answer, body.length - 1).end(body.subarray(1)),
}

/** A proxy in front of an S3 server that lies on command: about lengths, about bytes, by silence. Signatures stay valid, since it keeps the Host header. */
export const startFaultyStore = async (store: string): Promise<FaultyStore> => {
  let fault: StoreFault = 'none'
  /** Another object, returned in place of the requested one. */
  let earlier: { readonly answer: IncomingMessage; readonly body: Buffer } | undefined
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await buffer(incoming)
    if (fault === 'hanging') return
    if (fault === 'broken') return void response.writeHead(500).end()
    const passed = request(store + incoming.url, { method: incoming.method ?? 'GET', headers: incoming.headers })
    passed.end(sent)
    const [answer] = (await once(passed, 'response')) as [IncomingMessage]
    const body = await buffer(answer)
    const isObject = incoming.method === 'GET' && answer.headers['x-amz-meta-whittle'] !== undefined
    if (fault === 'swapped' && isObject && earlier !== undefined)
      return void head(response, earlier.answer, earlier.body.length).end(earlier.body)
    if (fault !== 'none' && fault !== 'swapped' && isObject) return FAULTS[fault](response, answer, body)
    if (isObject) earlier ??= { answer, body }
    response.writeHead(answer.statusCode ?? 500, answer.headers).end(body)
  }
  const server = createServer((incoming, response) => void handle(incoming, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    become: (next) => {
      fault = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
