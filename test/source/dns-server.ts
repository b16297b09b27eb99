import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

/** The reply of the name server: addresses with a TTL in seconds, no such name, a failure, or silence. */
export type DnsReply =
  | { readonly addresses: readonly string[]; readonly ttl?: number }
  | 'unknown'
  | 'silence'
  | 'failure'

export interface DnsServer extends AsyncDisposable {
  /** `address:port`. */
  readonly address: string
  /** Received questions, such as `A one.example`. */
  readonly asked: readonly string[]
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }

/** The first question of a message (RFC 1035, section 4.1.2): its name, its type, and the offset after it. */
const readQuestion = (message: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255)

/** The 16 bytes of an address with at most one group on each side of `::`, such as `::1` and `fd00::1`. */
const packIpv6 = (address: string): Buffer => {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return Buffer.concat([...before, ...zeros, ...after].map(u16))
}

const packAddress = (address: string): Buffer =>
  isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : packIpv6(address)

const replyTo = (message: Buffer, reply: Exclude<DnsReply, 'silence'>): Buffer => {
  const { type, end } = readQuestion(message)
  const known = typeof reply === 'string' ? { addresses: [] } : reply
  const flags = { unknown: 0x8183, failure: 0x8182 } as const
  const rows = known.addresses.filter((address) => isIPv4(address) === (type === 1)).map(packAddress)
  const head = Buffer.concat([
    message.subarray(0, 2),
    u16(typeof reply === 'string' ? flags[reply] : 0x8180),
    u16(1),
    u16(rows.length),
    u16(0),
    u16(0),
  ])
  const ttl = Buffer.alloc(4)
  ttl.writeUInt32BE('ttl' in known ? (known.ttl ?? 60) : 60)
  const answers = rows.map((row) => Buffer.concat([u16(0xc00c), u16(type), u16(1), ttl, u16(row.length), row]))
  return Buffer.concat([head, message.subarray(12, end), ...answers])
}

/** Starts a name server on loopback that replies with `answer`. */
export const startDnsServer = async (
  answer: (name: string, type: string) => DnsReply,
  where: { readonly port: number; readonly address: string } = { port: 0, address: '127.0.0.1' },
): Promise<DnsServer> => {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (message: Buffer, peer: RemoteInfo) => {
    const { name, type } = readQuestion(message)
    const typeName = TYPES[type] ?? String(type)
    asked.push(`${typeName} ${name}`)
    const reply = answer(name, typeName)
    if (reply !== 'silence') socket.send(replyTo(message, reply), peer.port, peer.address)
  })
  socket.bind(where.port, where.address)
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
