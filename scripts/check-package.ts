/**
 * Proves that the package that would be published works elsewhere: packs it, installs the tarball into an empty
 * directory, starts the installed `whittle` command and optimises an image through it. Needs the npm registry.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLED_FONTS } from '../src/svg/fonts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'whittle-package-'))
const npm = (directory: string, ...args: string[]): string =>
  execFileSync('npm', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Most MB (of 1,000,000 bytes on disk) that an installation takes without the ffmpeg that comes with it where the system has none. */
const MOST_MB = 90

/** Bytes on disk of everything below a directory. */
const weightOf = (directory: string): number =>
  readdirSync(directory, { recursive: true })
    .map((name) => lstatSync(join(directory, String(name))))
    .reduce((sum, { blocks }) => sum + blocks * 512, 0)

const checkWeight = (): string => {
  const modules = join(place, 'node_modules')
  const ffmpeg = join(modules, '@ffmpeg-installer')
  const [all, apart] = [weightOf(modules), existsSync(ffmpeg) ? weightOf(ffmpeg) : 0].map((bytes) => bytes / 1e6)
  if (all! - apart! > MOST_MB)
    throw new Error(`${Math.round(all! - apart!)} MB installed without ffmpeg, at most ${MOST_MB}`)
  return `${Math.round(all! - apart!)} MB and ${Math.round(apart!)} MB of ffmpeg`
}

/** Starts the installed command on a free port, and resolves with its address. */
const start = (): { readonly address: Promise<string>; readonly stop: () => void } => {
  const child = spawn(process.execPath, [join(place, 'node_modules/@whittle-images/whittle/bin/whittle.js'), 'try'], {
    cwd: place,
    env: { ...process.env, PORT: '0', DATA_DIR: join(place, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const address = new Promise<string>((resolve, reject) => {
    let told = ''
    child.stdout.on('data', (chunk: Buffer) => {
      told += chunk.toString()
      const found = /is at (http:\/\/\S+)\. Try it/.exec(told)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`whittle ended with ${code}: ${told}`)))
  })
  return { address, stop: () => void child.kill('SIGTERM') }
}

try {
  const [packed] = JSON.parse(npm(root, 'pack', '--json', '--pack-destination', place).replace(/^[^[]*/, '')) as {
    filename: string
    unpackedSize: number
  }[]
  writeFileSync(join(place, 'package.json'), '{"private":true}')
  npm(place, 'install', '--no-audit', '--no-fund', `./${packed!.filename}`)
  const bill = JSON.parse(readFileSync(join(place, 'node_modules/@whittle-images/whittle/sbom.cdx.json'), 'utf8')) as {
    components: readonly { name: string }[]
  }
  if (!bill.components.some(({ name }) => name === 'sharp')) throw new Error('sbom.cdx.json does not list sharp')
  for (const name of BUNDLED_FONTS)
    readFileSync(join(place, `node_modules/@whittle-images/whittle/assets/fonts/${name}.ttf`))
  const weight = checkWeight()
  const service = start()
  try {
    const source = readFileSync(join(root, 'docs/sample.png'))
    const form = new FormData()
    form.set('file', new Blob([source]), 'sample.png')
    const response = await fetch(`${await service.address}/demo/full`, { method: 'POST', body: form })
    const body = await response.arrayBuffer()
    if (response.status !== 200 || response.headers.get('content-type') !== 'image/jpeg')
      throw new Error(`status ${response.status}: ${Buffer.from(body.slice(0, 300)).toString()}`)
    process.stdout.write(
      `${packed!.filename}: installed elsewhere (${weight}), ${source.length} bytes became ${body.byteLength}, score ${response.headers.get('x-score')}\n`,
    )
  } finally {
    service.stop()
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
