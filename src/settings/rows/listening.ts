import {
  baseUrl,
  headerName,
  listenHost,
  oneOf,
  pathPrefix,
  type TrustProxy,
  trustProxy,
  wholeNumber,
} from '../readers.ts'
import { setting } from './row.ts'

const PLAYGROUND = ['auto', 'on', 'off'] as const

/** Settings of the address that the service listens on. */
export const LISTENING = {
  port: setting<number>({
    env: 'PORT',
    read: wholeNumber({ min: 0, max: 65535 }),
    default: 8080,
    shown: '8080',
    help: 'TCP port to listen on; 0 takes any free one.',
  }),
  host: setting<string>({
    env: 'HOST',
    read: listenHost,
    default: '127.0.0.1',
    shown: '127.0.0.1',
    help: 'Address to listen on. The default is this machine alone; 0.0.0.0 or :: is every network, which turns the account "demo" off.',
  }),
  metricsPort: setting<number | undefined>({
    env: 'METRICS_PORT',
    read: wholeNumber({ min: 0, max: 65535 }),
    default: undefined,
    shown: '',
    help: 'TCP port of HOST on which /-/metrics, /-/live and /-/ready are answered, and nothing else; 0 takes any free one. /-/metrics is then not answered on PORT. When unset, PORT answers all of them.',
  }),
  publicUrl: setting<string | undefined>({
    env: 'PUBLIC_URL',
    read: baseUrl,
    default: undefined,
    shown: '',
    help: 'Base address of the service as clients see it, path prefix included: the addresses of stored results start with it. Taken from the request when unset.',
  }),
  pathPrefix: setting<string>({
    env: 'PATH_PREFIX',
    read: pathPrefix,
    default: '',
    shown: '',
    help: 'Path that all addresses of the service begin with, when a proxy in front does not strip it.',
  }),
  trustProxy: setting<TrustProxy>({
    env: 'TRUST_PROXY',
    read: trustProxy,
    default: { kind: 'none' },
    shown: 'false',
    help: 'Which X-Forwarded-* headers are trusted: none (false), those of every client (true), those of a number of proxies in front, or those of proxies in address ranges.',
  }),
  requestIdHeader: setting<string | undefined>({
    env: 'REQUEST_ID_HEADER',
    read: headerName,
    default: undefined,
    shown: '',
    help: 'Header in which a proxy that TRUST_PROXY believes names each request, such as X-Request-Id: a request that the proxy sends to a second node is then charged once. The proxy must overwrite what clients send in it.',
  }),
  playground: setting<(typeof PLAYGROUND)[number]>({
    env: 'PLAYGROUND',
    read: oneOf(PLAYGROUND),
    default: 'auto',
    shown: 'auto',
    help: 'Whether the base address shows a page to try the service out: on, off, or auto, which is on for browsers on this machine while HOST is loopback.',
  }),
} as const
