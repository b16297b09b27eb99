import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from '../main.ts'
import { isLoopback } from '../service/demo.ts'
import { readSettings } from '../settings/read.ts'
import type { Settings } from '../settings/settings.ts'
import { StartProblem } from '../start/start-problem.ts'
import { openAccounts } from '../start/stores.ts'
import { runAccounts } from './accounts.ts'
import { compareCommand } from './compare.ts'
import { CLI_COMMANDS, completionCommand, manualPage } from './completion.ts'
import { explainCommand } from './explain.ts'
import { runMigrate } from './migrate.ts'
import { optimiseCommand } from './optimise.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version

const HELP = `Whittle ${VERSION}: makes images as small as they can be at a guaranteed perceived quality.

Usage:
${Object.entries(CLI_COMMANDS)
  .map(([name, help]) => `  whittle ${name.padEnd(12)}${help}`)
  .join('\n')}
  whittle --version

Settings are environment variables, such as PORT, HOST and DATA_DIR: see docs/settings.md.
`

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const complain = (line: string): void => void process.stderr.write(`whittle: ${line}\n`)

const terminal = { stdout: process.stdout, stderr: process.stderr }

const settingsOrComplain = (): Settings | undefined => {
  const read = readSettings(process.env)
  if (read.kind === 'ok') {
    for (const warning of read.warnings) complain(warning)
    return read.settings
  }
  for (const problem of read.problems) complain(problem)
  return undefined
}

const invite = (address: string, host: string): void => {
  if (!isLoopback(host)) {
    say(
      `The account "demo" is off, because ${host} can be reached from elsewhere. Create one: whittle accounts add <username>`,
    )
    return
  }
  say(`\nWhittle ${VERSION} is at ${address}. Try it: open that in a browser, or\n`)
  say(`  curl -F file=@${join(ROOT, 'docs', 'sample.png')} -o smaller.jpg -D - ${address}/demo/full\n`)
}

const runServer = async (demo: boolean): Promise<number> => {
  const settings = settingsOrComplain()
  if (settings === undefined) return 1
  try {
    // Whatever nobody waited for costs at most its own request, never the service; it is told to be mended.
    process.on('unhandledRejection', (reason) =>
      complain(`a fault of ours, nobody waited for it: ${reason instanceof Error ? reason.stack : reason}`),
    )
    const running = await serve({ settings, demo, version: VERSION })
    if (demo) invite(running.address, settings.host)
    const signal = await new Promise<string>((done) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => done(name))
    })
    // A second signal does not wait.
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.exit(1))
    complain(`${signal}: finishing what is under way`)
    await running.stop()
    return 0
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    for (const line of error.message.split('\n')) complain(line)
    return 1
  }
}

const runAccountsHere = async (argv: readonly string[]): Promise<number> => {
  const settings = settingsOrComplain()
  if (settings === undefined) return 1
  const { publicUrl, host, port, pathPrefix, maxTimeoutSeconds: maxTimeout } = settings
  const base = publicUrl ?? `http://${isLoopback(host) ? host : '127.0.0.1'}:${port}${pathPrefix}`
  return runAccounts(argv, { open: () => openAccounts(settings), base, maxTimeout, ...terminal })
}

const runMigrateHere = async (): Promise<number> => {
  const settings = settingsOrComplain()
  if (settings === undefined) return 1
  const open = (migrated: (names: readonly string[]) => void) => openAccounts(settings, { migrated })
  return runMigrate({ open, stdout: process.stdout, stderr: process.stderr })
}

/** Commands that need no settings of the service. */
const TOOLS: Readonly<Record<string, (argv: readonly string[]) => Promise<number> | number>> = {
  optimise: (argv) => optimiseCommand(argv, { version: VERSION, terminal }),
  compare: (argv) => compareCommand(argv, terminal),
  explain: (argv) => explainCommand(argv, terminal),
  completion: (argv) => completionCommand(argv, terminal),
  man: () => {
    process.stdout.write(manualPage(VERSION))
    return 0
  },
}

/** Runs a command line; resolves with the exit code: 0 fine, 1 it failed, 2 wrong usage. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const [command, ...rest] = argv
  const wantsHelp = rest.includes('--help') || rest.includes('-h')
  const tool = command === undefined || !Object.hasOwn(TOOLS, command) ? undefined : TOOLS[command]
  if (tool !== undefined) return tool(rest)
  if (command === 'accounts') return runAccountsHere(rest)
  if (command === 'migrate' && rest.length === 0) return runMigrateHere()
  if (command === '--version' || command === '-v') {
    say(VERSION)
    return 0
  }
  if (
    command === '--help' ||
    command === '-h' ||
    command === 'help' ||
    ((command === 'serve' || command === 'try' || command === 'migrate') && wantsHelp)
  ) {
    say(HELP)
    return 0
  }
  if ((command === 'serve' || command === 'try') && rest.length === 0) return runServer(command === 'try')
  process.stderr.write(
    command === undefined ? HELP : `whittle: there is no command "${argv.join(' ')}". See: whittle --help\n`,
  )
  return 2
}

process.exitCode = await run(process.argv.slice(2))
