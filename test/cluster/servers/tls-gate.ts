import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { findProgram, run } from './process.ts'

/** A certificate of 127.0.0.1 by an authority that no system knows. */
export interface Certificate {
  readonly key: Buffer
  readonly cert: Buffer
  /** PEM file of the authority. */
  readonly authority: string
}

/** Makes a certificate that is its own authority. */
export const makeCertificate = async (): Promise<Certificate> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-tls-'))
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  const subject = ['-subj', '/CN=whittle test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await run(findProgram('openssl', 'openssl'), [...made, '-keyout', key, '-out', cert, ...subject])
  return { key: await readFile(key), cert: await readFile(cert), authority: cert }
}

/** PostgreSQL's client asks for TLS in a message of 8 bytes, and is answered by one letter. */
const agreeWithPostgres = async (socket: Socket): Promise<void> => {
  await once(socket, 'readable')
  socket.read(8)
  socket.write('S')
}

/** TLS in front of a TCP server on loopback; resolves to host and port. */
export const startTlsGate = async (
  url: string,
  { key, cert }: Certificate,
  agree: 'at once' | 'as PostgreSQL' = 'at once',
): Promise<AsyncDisposable & { readonly host: string }> => {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const take = async (socket: Socket): Promise<void> => {
    open.add(socket.on('error', () => undefined))
    if (agree === 'as PostgreSQL') await agreeWithPostgres(socket)
    const secure = new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => socket.destroy())
    const other = connect(Number(port), hostname).on('error', () => secure.destroy())
    open.add(other)
    secure.pipe(other).pipe(secure)
    secure.once('close', () => other.destroy())
    other.once('close', () => secure.destroy())
  }
  const server = createServer((socket) => void take(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
