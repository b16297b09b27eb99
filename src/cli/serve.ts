import { fileURLToPath } from 'node:url'
import { isLoopback } from '../service/accounts/demo.ts'
import { serve } from '../start/main.ts'
import { StartProblem } from '../start/start-problem.ts'
import { complain, settingsOrComplain } from './complain.ts'

const SAMPLE = fileURLToPath(new URL('../../docs/sample.png', import.meta.url))

interface ServeFlags {
  /** Opens the account `demo`. */
  readonly demo: boolean
  readonly version: string
}

/** How to try the service. The address comes last, directly above the prompt. */
const invitation = (address: string, { host, version }: { readonly host: string; readonly version: string }): string =>
  isLoopback(host)
    ? `
Whittle ${version} runs. Ctrl-C ends it. Try it on the command line:

  curl -fL -F file=@${SAMPLE} -o smaller.jpg ${address}/demo/full

or open this address in a browser:

  ${address}
`
    : `The account "demo" is off, because ${host} can be reached from elsewhere. Create one: whittle accounts add <username>\n`

const untilSignal = (): Promise<string> =>
  new Promise((done) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => done(name))
  })

const runUntilSignal = async ({ demo, version }: ServeFlags): Promise<number> => {
  const settings = settingsOrComplain()
  if (settings === undefined) return 1
  const running = await serve({ settings, demo, version })
  if (demo) process.stdout.write(invitation(running.address, { host: settings.host, version }))
  const signal = await untilSignal()
  // A second signal ends the process at once.
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.exit(1))
  complain(`${signal}: finishing what is under way`)
  await running.stop()
  return 0
}

/** The commands `whittle serve` and `whittle try`. Resolves with the exit code when a signal has ended the service. */
export const serveCommand = async (flags: ServeFlags): Promise<number> => {
  // An unhandled rejection affects at most its own request. It is logged as a fault.
  process.on('unhandledRejection', (reason) =>
    complain(`an internal error outside of any request: ${reason instanceof Error ? reason.stack : reason}`),
  )
  try {
    return await runUntilSignal(flags)
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    for (const line of error.message.split('\n')) complain(line)
    return 1
  }
}
