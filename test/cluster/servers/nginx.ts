import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { endChild, findProgram, freePort, startChild, until } from './process.ts'

/** A worker that is not root could not write into a directory of ours. */
const user = userInfo().uid === 0 ? 'user root;' : ''

const configuration = (directory: string, port: number, nodes: readonly number[]): string => `
${user}
daemon off;
worker_processes 1;
pid ${directory}/pid;
error_log ${directory}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  upstream whittle {
    least_conn;
    ${nodes.map((node) => `server 127.0.0.1:${node} max_fails=1 fail_timeout=1s;`).join('\n    ')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 60m;
    large_client_header_buffers 4 64k;
    merge_slashes off;
    location / {
      # No path here: the raw target is passed on byte for byte.
      proxy_pass http://whittle;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Request-Id $request_id;
      proxy_read_timeout 60s;
      # The id stays the same on the next node, so that nothing is charged twice.
      proxy_next_upstream error timeout non_idempotent;
    }
  }
}
`

/** nginx in front of nodes on loopback, as docs/scaling.md shows it. */
export const startNginx = async (nodes: readonly number[]): Promise<AsyncDisposable & { readonly url: string }> => {
  const program = findProgram('nginx', 'nginx-light')
  const [directory, port] = [await mkdtemp(join(tmpdir(), 'whittle-nginx-')), await freePort()]
  const config = join(directory, 'nginx.conf')
  await writeFile(config, configuration(directory, port, nodes))
  const child = startChild(program, ['-c', config, '-e', join(directory, 'error.log')])
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
