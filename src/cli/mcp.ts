import { parseArgs } from 'node:util'
import { loadOptional } from '../support/optional-package.ts'
import type { Terminal } from './optimise/reporter.ts'
import { sayError } from './say-error.ts'

/** Flags of `whittle mcp`. */
export const MCP_FLAGS = {
  'allow-private': { help: 'let the tool "audit" read sites at private addresses, such as http://localhost:3000' },
  help: { help: 'show this help' },
} as const

const USAGE = `Usage: whittle mcp <folder>... [flags]

Serves the tools optimise, compare, explain and audit to an agent, by the Model Context Protocol on standard input and output.
Tools read and write files in these folders only.

${Object.entries(MCP_FLAGS)
  .map(([name, { help }]) => `  ${`--${name}`.padEnd(18)}${help}`)
  .join('\n')}

An agent starts it, from a configuration such as:
  { "command": "npx", "args": ["-y", "-p", "@whittle-images/whittle", "-p", "@modelcontextprotocol/sdk", "whittle", "mcp", "/path/to/site"] }
`

const readMcpFlags = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { 'allow-private': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })

const loadServer = () =>
  loadOptional({ name: '@modelcontextprotocol/sdk', setting: 'whittle mcp' }, () => import('../mcp/serve-stdio.ts'))

/** The command `whittle mcp`. Resolves with the exit code when its input ends. Standard output has only the protocol. */
export const mcpCommand = async (argv: readonly string[], version: string, terminal: Terminal): Promise<number> => {
  let read: ReturnType<typeof readMcpFlags>
  try {
    read = readMcpFlags(argv)
  } catch (error) {
    terminal.stderr.write(`whittle: ${(error as Error).message}\nSee: whittle mcp --help\n`)
    return 2
  }
  const { values, positionals: folders } = read
  if (values.help === true || folders.length === 0) {
    const { stdout, stderr } = terminal
    ;(values.help === true ? stdout : stderr).write(USAGE)
    return values.help === true ? 0 : 2
  }
  try {
    const { serveStdio } = await loadServer()
    await serveStdio({ version, folders, allowPrivate: values['allow-private'] === true })
    return 0
  } catch (error) {
    terminal.stderr.write(`whittle: ${sayError(error)}\n`)
    return 1
  }
}
