import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import { endChild, findProgram, freePort, run, type StoreServer, startChild, until } from './process.ts'

/** Keys of a user of the S3 server. */
export interface S3Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3Server extends StoreServer {
  readonly keys: S3Keys
  /** A user who may read every new bucket and write none. */
  readonly readerKeys: S3Keys
  /** Makes a bucket; resolves to its `s3://` address for RESULTS_URL. */
  readonly newBucket: (name: string) => Promise<string>
}

const KEYS: S3Keys = { accessKeyId: 'testkey', secretAccessKey: 'testsecret' }
const READER: S3Keys = { accessKeyId: 'readerkey', secretAccessKey: 'readersecret' }

/** Seconds that the gateway takes for a day of a lifecycle rule. */
const LIFECYCLE_DAY_SECONDS = 10

const configuration = (directory: string, monitor: number, gateway: number): string => `[global]
fsid = ${randomUUID()}
mon_initial_members = a
mon_host = v2:127.0.0.1:${monitor}/0
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_allow_insecure_global_id_reclaim = false
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
osd_crush_chooseleaf_type = 0
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_data = ${directory}/osd
mon_data = ${directory}/mon
mon_data_avail_warn = 1
mon_data_avail_crit = 1
run_dir = ${directory}/run
admin_socket = ${directory}/run/$name.asok
pid_file = ${directory}/run/$name.pid
log_file = ${directory}/log/$name.log
log_to_stderr = false
err_to_stderr = true
keyring = ${directory}/keyring
crash_dir = ${directory}/crash
rgw_frontends = beast endpoint=127.0.0.1:${gateway} tcp_nodelay=1
rgw_enable_usage_log = false
rgw_lc_debug_interval = ${LIFECYCLE_DAY_SECONDS}
rgw_dns_name = 127.0.0.1
`

const DEBIAN = 'radosgw ceph-mon ceph-osd'

const addUser = (ceph: readonly string[], name: string, keys: S3Keys): Promise<unknown> =>
  run(findProgram('radosgw-admin', DEBIAN), [
    ...ceph,
    'user',
    'create',
    `--uid=${name}`,
    `--display-name=${name}`,
    `--access-key=${keys.accessKeyId}`,
    `--secret=${keys.secretAccessKey}`,
  ])

const readable = (bucket: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: ['arn:aws:iam:::user/reader'] },
        Action: ['s3:GetObject', 's3:ListBucket'],
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
      },
    ],
  })

/** A throw-away Ceph object gateway: one monitor, one storage daemon in memory, one gateway. Stopping stops the gateway alone. */
export const startCeph = async (): Promise<S3Server> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-ceph-'))
  const [monitor, port] = [await freePort(), await freePort()]
  const config = join(directory, 'ceph.conf')
  const ceph = ['-c', config]
  for (const name of ['mon', 'osd', 'log', 'run', 'crash']) await mkdir(join(directory, name))
  await writeFile(config, configuration(directory, monitor, port))
  const keyring = join(directory, 'keyring')
  const program = (name: string): string => findProgram(name, DEBIAN)
  const key = (entity: string, ...caps: string[]) =>
    run(program('ceph-authtool'), [
      keyring,
      '--gen-key',
      '-n',
      entity,
      ...caps.flatMap((cap) => ['--cap', ...(cap.split('=') as string[])]),
    ])
  await writeFile(keyring, '', { mode: 0o600 })
  await key('mon.', 'mon=allow *')
  await key('client.admin', 'mon=allow *', 'osd=allow *')
  await key('osd.0', 'mon=allow profile osd', 'osd=allow *')
  const map = join(directory, 'monmap')
  const { stdout: fsid } = await run(program('ceph-conf'), [...ceph, '--lookup', 'fsid'])
  await run(program('monmaptool'), [
    '--create',
    '--fsid',
    fsid.trim(),
    '--addv',
    'a',
    `[v2:127.0.0.1:${monitor}/0]`,
    map,
  ])
  await run(program('ceph-mon'), ['--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring, ...ceph])
  const mon = startChild(program('ceph-mon'), ['-f', '-i', 'a', ...ceph])
  const disk = randomUUID()
  await run(program('ceph'), [...ceph, '--connect-timeout', '20', 'osd', 'new', disk])
  await run(program('ceph-osd'), ['-i', '0', '--mkfs', '--osd-uuid', disk, ...ceph])
  const osd = startChild(program('ceph-osd'), ['-f', '-i', '0', ...ceph])
  await addUser(ceph, 'test', KEYS)
  await addUser(ceph, 'reader', READER)
  const begin = () => startChild(program('radosgw'), ['-f', '-n', 'client.admin', ...ceph])
  let gateway = begin()
  const url = `http://127.0.0.1:${port}`
  const start = async (): Promise<void> => {
    if (gateway.exitCode !== null || gateway.signalCode !== null) gateway = begin()
    await until(() => fetch(url), 120_000)
  }
  await start()
  const client = new S3Client({ region: 'us-east-1', endpoint: url, forcePathStyle: true, credentials: KEYS })
  return {
    url,
    keys: KEYS,
    readerKeys: READER,
    start,
    // The gateway finishes nothing: what it answered is stored.
    stop: () => endChild(gateway, 'SIGKILL'),
    newBucket: async (name) => {
      await client.send(new CreateBucketCommand({ Bucket: name }))
      await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy: readable(name) }))
      return `s3://${name}/results?endpoint=${encodeURIComponent(url)}`
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy()
      for (const child of [gateway, osd, mon]) await endChild(child, 'SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
