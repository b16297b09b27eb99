import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { fail } from '../../src/core/failure.ts'
import { PathRefused } from '../../src/mcp/allowed-folders.ts'
import { openServer } from '../../src/mcp/serve-stdio.ts'

/** No file may be read or written, so that no tool does any work. */
const refusePath = async (): Promise<never> => {
  throw new PathRefused('refused')
}
const CONTEXT = {
  folders: { find: refusePath, prepareWrite: refusePath },
  optimiser: () => {
    throw new Error('no work is done here')
  },
  allowPrivate: false,
}

/** A place in the code: no client may receive it. */
const TRACE = /\.[jt]s:\d+:\d+/

/** Turns of the event loop after which the server has answered all messages. */
const TURNS = 20

const callOf = (id: number, name: string, given: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } })
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
})

/** Messages of an agent, a line each. */
export const MCP_CORPUS = [
  [INITIALIZE, callOf(1, 'explain', { options: '300x200,crop=auto,2x' })],
  [
    INITIALIZE,
    JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/list' }),
    callOf(2, 'explain', { options: '9' }),
  ],
  [INITIALIZE, callOf(3, 'optimise', { path: 'a.png', options: 'full', output: 'b.webp', overwrite: true })],
  [INITIALIZE, callOf(4, 'compare', { reference: 'a.png', candidate: 'b.png', difference: 'd.png' })],
].map((lines) => new TextEncoder().encode(`${lines.join('\n')}\n`))

/** The server of the tools reads a stranger's messages. Each answer is a line of JSON-RPC. */
export const speakMcp = async (bytes: Uint8Array): Promise<void> => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const server = openServer('0', CONTEXT)
  await server.connect(new StdioServerTransport(input, output))
  input.end(bytes)
  await once(input, 'close')
  for (let turn = 0; turn < TURNS; turn++) await setImmediate()
  await server.close()
  const answers = String(output.read() ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  for (const answer of answers)
    if (answer.jsonrpc !== '2.0' || TRACE.test(JSON.stringify(answer)))
      throw new Error(`not an answer: ${JSON.stringify(answer)}`)
  if (!answers.some(({ result }) => result !== undefined)) throw fail('REQUEST_MALFORMED')
}
