import { damage } from '../../fuzz/damage.ts'
import { type Attack, isDocumented } from '../attack.ts'
import { sendBytes } from '../send.ts'

const PIXEL = 'GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;'
const FORM = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.gif"\r\n\r\n${PIXEL}\r\n--x--\r\n`
const post = (target: string, headers: string, body: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${headers}Connection: close\r\n\r\n${body}`

/** Well-formed requests that damage starts from. */
const REQUESTS_SENT: readonly Buffer[] = [
  post('/demo/full', 'Content-Type: image/gif\r\n', PIXEL),
  post('/demo/10x10,crop', 'Content-Type: multipart/form-data; boundary=x\r\n', FORM),
  post('/demo/full/http://no-such-host.invalid/a.png?x=1', 'Accept: application/im2+json\r\n', ''),
  'GET /demo/full/http://e.invalid/a.png HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
  'GET /-/results/0123456789abcdef0123456789abcdef HTTP/1.1\r\nHost: a\r\nIf-None-Match: "x"\r\nConnection: close\r\n\r\n',
  'OPTIONS /demo/full HTTP/1.1\r\nHost: a\r\nOrigin: http://e.invalid\r\nConnection: close\r\n\r\n',
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Type: image/gif\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n1f\r\n${PIXEL.slice(0, 31)}\r\n0\r\n\r\n`,
].map((text) => Buffer.from(text, 'latin1'))

/** Two meanings of where a body ends: a second request must never come out of the first one's body. */
const SMUGGLED = 'GET /-/metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const DESYNC: readonly string[] = [
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nContent-Length: ${SMUGGLED.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\nHost: a\nContent-Length: 0\n Transfer-Encoding: chunked\n\n${SMUGGLED}`,
  `POST /demo/full HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
]

const statusOf = (answer: string): number => Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0)

/** Requests damaged at random from a printed seed, and requests whose end is a matter of opinion. */
export const REQUESTS: Attack = {
  name: 'requests',
  run: async ({ port, short, seed, service }) => {
    const problems: string[] = []
    for (const request of DESYNC) {
      const answer = await sendBytes(port, Buffer.from(request, 'latin1'))
      if (answer.includes('whittle_requests_total'))
        problems.push(`a second request came out of: ${JSON.stringify(request)}`)
      if (!isDocumented(statusOf(answer)))
        problems.push(`${statusOf(answer)} for ${JSON.stringify(request.slice(0, 120))}`)
    }
    const count = short ? 400 : 20_000
    const AT_ONCE = 16
    for (let from = 0; from < count; from += AT_ONCE) {
      const tries = Array.from({ length: AT_ONCE }, async (_, i) => {
        const number = seed * 1_000_000 + from + i
        const answer = await sendBytes(port, damage(REQUESTS_SENT[number % REQUESTS_SENT.length]!, number), 300)
        const status = statusOf(answer)
        // Without an end of its head a request is waited for: then nothing comes in so short a time.
        if (answer !== '' && status !== 100 && !isDocumented(status)) problems.push(`${status} for damage ${number}`)
      })
      await Promise.all(tries)
      service.assertAlive()
    }
    return { tries: DESYNC.length + count, problems }
  },
}
