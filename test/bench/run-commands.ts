/**
 * Runs command lines of programs one after another in this process, and prints how each ended, as JSON. A process for each would load
 * the same modules again. Only for calls that end while they read their arguments.
 */
import { pathToFileURL } from 'node:url'

/** How a program ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A call: the path of the program, and its arguments. */
export type Call = readonly [path: string, args: readonly string[]]

/** Thrown instead of the end of this process. */
class Exit extends Error {
  readonly status: number
  constructor(status: number) {
    super(`exit with ${status}`)
    this.status = status
  }
}

const written = { stdout: '', stderr: '' }
const capture = (name: keyof typeof written) => (text: string | Uint8Array) => {
  written[name] += text
  return true
}

/** `number` gives each call a module of its own. */
const run = async ([path, args]: Call, number: number): Promise<Ended> => {
  Object.assign(written, { stdout: '', stderr: '' })
  process.argv = [process.execPath, path, ...args]
  const error: unknown = await import(`${pathToFileURL(path)}?${number}`).catch((reason: unknown) => reason)
  return { code: error instanceof Exit ? error.status : Number.NaN, ...written }
}

const calls = JSON.parse(process.argv[2] ?? '[]') as readonly Call[]
const print = process.stdout.write.bind(process.stdout)
const exit = process.exit.bind(process)
process.stdout.write = capture('stdout')
process.stderr.write = capture('stderr')
process.exit = (code) => {
  throw new Exit(Number(code))
}
const ends: Ended[] = []
for (const [number, call] of calls.entries()) ends.push(await run(call, number))
print(JSON.stringify(ends), () => exit(0))
