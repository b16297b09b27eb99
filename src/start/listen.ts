import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Settings } from '../settings/settings.ts'
import { type StartProblem, startProblem } from './start-problem.ts'

/** A port with the setting that defines it. */
interface Listening extends Pick<Settings, 'host' | 'port' | 'pathPrefix'> {
  readonly setBy?: 'PORT' | 'METRICS_PORT'
}

const listenProblem = (error: NodeJS.ErrnoException, { host, port, setBy = 'PORT' }: Listening): StartProblem => {
  if (error.code === 'EADDRINUSE')
    return startProblem(
      `Port ${port} on ${host} is in use already. Stop what uses it, or set ${setBy} to another one.`,
      error,
    )
  if (error.code === 'EACCES')
    return startProblem(`Port ${port} may not be used without special rights. Set ${setBy} to one above 1023.`, error)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return startProblem(
      `This machine has no address ${host}. Set HOST to one that it has, such as 127.0.0.1 or 0.0.0.0.`,
      error,
    )
  return startProblem(
    `The service cannot listen on ${host}:${port} (${error.code ?? error.message}). Check HOST and ${setBy}.`,
    error,
  )
}

/** Listens on the configured address. Resolves with the URL, without a slash at its end. Fails with a StartProblem. */
export const listen = async (server: Server, settings: Listening): Promise<string> => {
  await new Promise<void>((done, refuse) => {
    server.once('error', refuse)
    server.listen(settings.port, settings.host, () => done())
  }).catch((error: NodeJS.ErrnoException) => {
    throw listenProblem(error, settings)
  })
  const { port } = server.address() as AddressInfo
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  return `http://${host}:${port}${settings.pathPrefix}`
}

/** File descriptors. */
const DESCRIPTORS = {
  /** Of the service itself: its files and databases. */
  own: 48,
  /** Of the pipes to one child. */
  perWorker: 6,
  /** Of a request: its connection, one to the origin, and a file. */
  perRequest: 3,
} as const
/** Connections, where the limit of descriptors allows more. Chosen, not measured. */
const MAX_CONNECTIONS = 10_000

const descriptorLimit = (): number => {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.NaN)
  } catch {
    return Number.NaN
  }
}

/** Maximum open connections that leave file descriptors for the work. Further ones are closed at once. */
export const connectionLimit = (
  { workers }: Pick<Settings, 'workers'>,
  descriptors: number = descriptorLimit(),
): number => {
  if (Number.isNaN(descriptors)) return MAX_CONNECTIONS
  const left = descriptors - DESCRIPTORS.own - workers * DESCRIPTORS.perWorker
  return Math.max(2, Math.min(MAX_CONNECTIONS, Math.floor(left / DESCRIPTORS.perRequest)))
}
