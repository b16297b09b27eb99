import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { endChild, findProgram, freePort, startChild, until } from './process.ts'

const DEPLOY = resolve(import.meta.dirname, '../../../deploy')

/** A cache in front of the service. */
export interface Cache extends AsyncDisposable {
  readonly url: string
}

const begin = async (
  program: string,
  args: readonly string[],
  place: { directory: string; port: number },
): Promise<Cache> => {
  const child = startChild(program, args)
  const url = `http://127.0.0.1:${place.port}`
  await until(() => fetch(`${url}/-/live`))
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      await endChild(child, 'SIGTERM')
      await rm(place.directory, { recursive: true, force: true })
    },
  }
}

/** nginx with the very configuration of deploy/nginx/delivery.conf, in front of a service on loopback. */
export const startNginxCache = async (service: number): Promise<Cache> => {
  const program = findProgram('nginx', 'nginx-light')
  const [directory, port] = [await mkdtemp(join(tmpdir(), 'whittle-nginx-cache-')), await freePort()]
  const deployed = await readFile(join(DEPLOY, 'nginx/delivery.conf'), 'utf8')
  const site = deployed
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('127.0.0.1:8081', `127.0.0.1:${service}`)
    .replace('/var/cache/nginx/whittle', join(directory, 'cache'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  const config = join(directory, 'nginx.conf')
  await writeFile(
    config,
    `${userInfo().uid === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${directory}/pid;
error_log ${directory}/error.log info; events { worker_connections 256; }
http { access_log off; ${paths.join(' ')}\n${site}\n}`,
  )
  return begin(program, ['-c', config, '-e', join(directory, 'start.log')], { directory, port })
}

/** Varnish with the very configuration of deploy/varnish/delivery.vcl. */
export const startVarnish = async (service: number): Promise<Cache> => {
  const program = findProgram('varnishd', 'varnish')
  const [directory, port] = [await mkdtemp(join(tmpdir(), 'whittle-varnish-')), await freePort()]
  const deployed = await readFile(join(DEPLOY, 'varnish/delivery.vcl'), 'utf8')
  const vcl = join(directory, 'delivery.vcl')
  await writeFile(vcl, deployed.replace('"8081"', `"${service}"`))
  const args = ['-F', '-j', 'none', '-n', join(directory, 'work'), '-f', vcl, '-s', 'malloc,64m', '-T', 'none']
  return begin(program, [...args, '-a', `127.0.0.1:${port}`], { directory, port })
}
