import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CLI_COMMANDS } from './commands.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version

const HELP = `Whittle ${VERSION}: makes images as small as they can be at a guaranteed perceived quality.

Usage:
${Object.entries(CLI_COMMANDS)
  .map(([name, help]) => `  whittle ${name.padEnd(12)}${help}`)
  .join('\n')}
  whittle --version

Each command lists its flags with --help. Settings are environment variables, such as PORT, HOST and DATA_DIR: see docs/settings.md.
`

const terminal = { stdout: process.stdout, stderr: process.stderr }

/** Exit code of a program that a closed pipe ends: 128 + SIGPIPE. */
const PIPE_CLOSED = 128 + constants.signals.SIGPIPE
const closed = new AbortController()
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    closed.abort()
  })

type Command = (argv: readonly string[]) => Promise<number> | number

const optimise: Command = async (argv) => {
  const { optimiseCommand } = await import('./optimise.ts')
  return optimiseCommand(argv, { version: VERSION, terminal, closed: closed.signal })
}

const help: Command = () => {
  process.stdout.write(HELP)
  return 0
}

const version: Command = () => {
  process.stdout.write(`${VERSION}\n`)
  return 0
}

const wantsHelp = (argv: readonly string[]): boolean => argv.includes('--help') || argv.includes('-h')

/** Commands that take no argument but `--help`. */
const alone =
  (name: keyof typeof CLI_COMMANDS, run: () => Promise<number>): Command =>
  (argv) => {
    if (wantsHelp(argv)) {
      process.stdout.write(
        `Usage: whittle ${name}\n\n  ${CLI_COMMANDS[name]}\n\n` +
          'It has no flags. Settings are environment variables, such as PORT, HOST and DATA_DIR: see docs/settings.md.\n',
      )
      return 0
    }
    if (argv.length === 0) return run()
    process.stderr.write(
      `whittle: ${name} takes no "${argv[0]}". Its settings are environment variables, such as PORT: see docs/settings.md.\n`,
    )
    return 2
  }

const unknown: Command = async (argv) => {
  const { nearest } = await import('../options/suggest.ts')
  const [command = ''] = argv
  const near = COMMANDS.has(command) ? undefined : nearest(command, Object.keys(CLI_COMMANDS))
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`
  process.stderr.write(`whittle: there is no command "${argv.join(' ')}".${meant} See: whittle --help\n`)
  return 2
}

/** Each command loads its own modules: `--version` and `--help` load none. */
const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['optimise', optimise],
  ['optimize', optimise],
  ['compare', async (argv) => (await import('./compare.ts')).compareCommand(argv, terminal)],
  ['audit', async (argv) => (await import('./audit.ts')).auditCommand(argv, terminal)],
  ['mcp', async (argv) => (await import('./mcp.ts')).mcpCommand(argv, VERSION, terminal)],
  ['explain', async (argv) => (await import('./explain.ts')).explainCommand(argv, terminal)],
  ['completion', async (argv) => (await import('./completion.ts')).completionCommand(argv, terminal)],
  [
    'man',
    async () => {
      process.stdout.write((await import('./completion.ts')).manualPage(VERSION))
      return 0
    },
  ],
  ['accounts', async (argv) => (await import('./with-settings.ts')).accountsCommand(argv, terminal)],
  ['backup', async (argv) => (await import('./backup.ts')).backupCommand(argv, terminal)],
  ['migrate', alone('migrate', async () => (await import('./with-settings.ts')).migrateCommand(terminal))],
  ['serve', alone('serve', async () => (await import('./serve.ts')).serveCommand({ demo: false, version: VERSION }))],
  ['try', alone('try', async () => (await import('./serve.ts')).serveCommand({ demo: true, version: VERSION }))],
  ['--version', version],
  ['-v', version],
  ['--help', help],
  ['-h', help],
  ['help', help],
])

/** Runs a command line and resolves with the exit code: 0 success, 1 failure, 2 wrong usage, 141 closed output. */
const run = async (argv: readonly string[]): Promise<number> => {
  const [command, ...rest] = argv
  if (command === undefined) {
    process.stderr.write(HELP)
    return 2
  }
  const code = await (COMMANDS.get(command)?.(rest) ?? unknown(argv))
  return closed.signal.aborted ? PIPE_CLOSED : code
}

process.exitCode = await run(process.argv.slice(2))
