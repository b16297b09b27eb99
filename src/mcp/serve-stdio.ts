/** The Model Context Protocol over standard input and output, by the official SDK. */
import { once } from 'node:events'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import { Failure } from '../core/failure.ts'
import { type Optimiser, openOptimiser } from '../library/optimiser.ts'
import { END_SIGNALS } from '../support/end-signals.ts'
import { allowFolders } from './allowed-folders.ts'
import { TOOLS, type Tool, type ToolCall, type ToolContext } from './tools.ts'

export interface McpSettings {
  readonly version: string
  readonly folders: readonly string[]
  /** Whether `audit` may read sites at private addresses. */
  readonly allowPrivate: boolean
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

const textResult = (text: string, isError = false): CallToolResult => ({ content: [{ type: 'text', text }], isError })

const messageOf = (error: unknown): string =>
  error instanceof Failure || error instanceof Error ? error.message : String(error)

const callOf = ({ signal, _meta, sendNotification }: Extra): ToolCall => ({
  signal,
  onProgress: (progress, total, message) => {
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) return
    sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress, total, message },
    }).catch(() => undefined)
  },
})

const register = (server: McpServer, name: string, tool: Tool, context: ToolContext): void => {
  const { title, description, input, writes, run } = tool
  const annotations = { readOnlyHint: !writes, openWorldHint: name === 'audit' }
  server.registerTool(name, { title, description, inputSchema: input, annotations }, async (given, extra) => {
    try {
      return textResult(await run(given, context, callOf(extra)))
    } catch (error) {
      return textResult(messageOf(error), true)
    }
  })
}

/** Returns a server of all tools. It is not connected yet. */
export const openServer = (version: string, context: ToolContext): McpServer => {
  const server = new McpServer({ name: 'whittle', version })
  for (const [name, tool] of Object.entries(TOOLS)) register(server, name, tool as unknown as Tool, context)
  return server
}

/** Returns a promise that rejects when the SDK closes the connection itself, such as after a message of more than 10 MB. */
const whenBroken = ({ server }: McpServer): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>()
  let last = new Error('The connection to the agent is closed.')
  server.onerror = (error) => {
    last = error
  }
  server.onclose = () => reject(new Error(`The connection to the agent broke: ${last.message}`))
  promise.catch(() => undefined)
  return promise
}

/** Resolves when standard input ends, or at a signal: running work is then stopped, and its temporary files are removed. */
const whenOver = async (broken: Promise<never>): Promise<void> => {
  const other = new AbortController()
  const { signal } = other
  const ends = END_SIGNALS.map((name) => once(process, name, { signal }))
  try {
    await Promise.race([broken, once(process.stdin, 'close', { signal }), ...ends])
  } finally {
    other.abort()
    await Promise.allSettled(ends)
    process.stdin.destroy()
  }
}

/** Serves until standard input ends or a signal comes. Fails when a folder is missing, or when the connection breaks. */
export const serveStdio = async ({ version, folders, allowPrivate }: McpSettings): Promise<void> => {
  let opened: Optimiser | undefined
  const context: ToolContext = {
    folders: await allowFolders(folders),
    optimiser: () => {
      opened ??= openOptimiser()
      return opened
    },
    allowPrivate,
  }
  const server = openServer(version, context)
  const broken = whenBroken(server)
  try {
    await server.connect(new StdioServerTransport())
    await whenOver(broken)
  } finally {
    await server.close()
    await opened?.close()
  }
}
