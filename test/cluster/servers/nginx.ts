import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { endChild, findProgram, freePort, LOGS, run, startChild, until } from './process.ts'

/** A worker that is not root could not write into a directory of ours. */
const user = userInfo().uid === 0 ? 'user root;' : ''

/** The configuration that is deployed. */
export const DEPLOYED = resolve(import.meta.dirname, '../../../deploy/nginx/whittle.conf')

/** The very configuration that is deployed, with addresses in place of names: `resolve` needs nginx 1.27.3, which Debian 12 has not. */
const siteFor = async (port: number, nodes: readonly number[]): Promise<string> => {
  const deployed = await readFile(DEPLOYED, 'utf8')
  const names = ['node-a:8080 resolve', 'node-b:8080 resolve', 'node-c:8080 resolve']
  return names.reduce(
    (text, name, at) =>
      at < nodes.length
        ? text.replace(name, `127.0.0.1:${nodes[at]}`)
        : text.replace(new RegExp(`^ *server ${name}.*\\n`, 'm'), ''),
    deployed.replace('listen 8080;', `listen 127.0.0.1:${port};`),
  )
}

const configuration = (directory: string, port: number, site: string): string => `
${user}
daemon off;
worker_processes 1;
pid ${directory}/pid;
error_log ${LOGS ?? directory}/nginx-${port}.log info;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  ${site}
}
`

const program = (): string => findProgram('nginx', 'nginx-light')

/** The version of the installed nginx. */
export const nginxVersion = async (): Promise<readonly number[]> => {
  const { stderr } = await run(program(), ['-v'])
  return (/nginx\/([\d.]+)/.exec(stderr)?.[1] ?? '').split('.').map(Number)
}

/** The output of `nginx -t` for a site, with the names of its nodes. It ends with "successful" where nginx would start. */
export const checkSite = async (site: string): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-nginx-'))
  const config = join(directory, 'nginx.conf')
  await writeFile(config, configuration(directory, await freePort(), site))
  const answered = (told: { readonly stderr: string }): string => told.stderr
  const said = await run(program(), ['-t', '-c', config, '-e', join(directory, 'start.log')]).then(answered, answered)
  await rm(directory, { recursive: true, force: true })
  return said.trim()
}

/** nginx in front of up to three nodes on loopback, as deploy/ has it. */
export const startNginx = async (nodes: readonly number[]): Promise<AsyncDisposable & { readonly url: string }> => {
  const [directory, port] = [await mkdtemp(join(tmpdir(), 'whittle-nginx-')), await freePort()]
  const config = join(directory, 'nginx.conf')
  await writeFile(config, configuration(directory, port, await siteFor(port, nodes)))
  const child = startChild(program(), ['-c', config, '-e', join(directory, 'start.log')])
  const url = `http://127.0.0.1:${port}`
  await until(() => fetch(`${url}/-/live`))
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      await endChild(child, 'SIGTERM')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
