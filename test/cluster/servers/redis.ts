import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { endChild, findProgram, freePort, type StoreServer, startChild, until } from './process.ts'

const PASSWORD = 'redis-password'

/** A throw-away Redis with a password that forgets everything when it stops: the harder case. */
export const startRedis = async (): Promise<StoreServer> => {
  const program = findProgram('redis-server', 'redis-server')
  const [directory, port] = [await mkdtemp(join(tmpdir(), 'whittle-redis-')), await freePort()]
  const settings = { bind: '127.0.0.1', port, save: '', appendonly: 'no', dir: directory, requirepass: PASSWORD }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const url = `redis://:${PASSWORD}@127.0.0.1:${port}`
  const begin = () => startChild(program, args)
  let child = begin()
  const ping = async (): Promise<void> => {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 })
    client.on('error', () => undefined)
    await client
      .connect()
      .then(() => client.ping())
      .finally(() => client.disconnect())
  }
  const start = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) child = begin()
    await until(ping)
  }
  const stop = () => endChild(child, 'SIGKILL')
  await start()
  return {
    url,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
