/**
 * Proves that the published package works elsewhere. Packs it, installs the tarball into an empty directory, starts the installed
 * `whittle` command, and optimises an image through it. Needs the npm registry.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLED_FONTS } from '../src/svg/fonts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'whittle-package-'))
const npm = (directory: string, ...args: string[]): string =>
  execFileSync('npm', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Limit on disk (1 MB = 1,000,000 bytes) without the bundled ffmpeg. */
const MAX_INSTALLED_MB = 90

/** Bytes on disk of everything below a directory. */
const weightOf = (directory: string): number =>
  readdirSync(directory, { recursive: true })
    .map((name) => lstatSync(join(directory, String(name))))
    .reduce((sum, { blocks }) => sum + blocks * 512, 0)

const checkWeight = (): string => {
  const modules = join(place, 'node_modules')
  const ffmpeg = join(modules, '@ffmpeg-installer')
  const [all, apart] = [weightOf(modules), existsSync(ffmpeg) ? weightOf(ffmpeg) : 0].map((bytes) => bytes / 1e6)
  if (all! - apart! > MAX_INSTALLED_MB)
    throw new Error(`${Math.round(all! - apart!)} MB installed without ffmpeg, at most ${MAX_INSTALLED_MB}`)
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
      const found = /in a browser:\s+(http:\/\/\S+)\s/.exec(told)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`whittle ended with ${code}: ${told}`)))
  })
  return { address, stop: () => void child.kill('SIGTERM') }
}

/** Optimises a file of the checkout; throws when the answer is not of a type. Gives bytes before and after. */
const optimise = async (address: string, options: string, file: string, type: string) => {
  const source = readFileSync(join(root, file))
  const form = new FormData()
  form.set('file', new Blob([source]), basename(file))
  const response = await fetch(`${address}/demo/${options}`, { method: 'POST', body: form })
  const body = await response.arrayBuffer()
  if (response.status !== 200 || response.headers.get('content-type') !== type)
    throw new Error(`${options}: status ${response.status}: ${Buffer.from(body.slice(0, 300)).toString()}`)
  return { source: source.length, bytes: body.byteLength, score: response.headers.get('x-score') }
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
  for (const wanted of ['sharp', 'mediabunny'])
    if (!bill.components.some(({ name }) => name === wanted)) throw new Error(`sbom.cdx.json does not list ${wanted}`)
  for (const name of BUNDLED_FONTS)
    readFileSync(join(place, `node_modules/@whittle-images/whittle/assets/fonts/${name}.ttf`))
  const weight = checkWeight()
  const service = start()
  try {
    const address = await service.address
    const { bytes, score, source } = await optimise(address, 'full', 'docs/sample.png', 'image/jpeg')
    // Made by what the build put together of other packages.
    await optimise(address, 'full,format=h264', 'bench/public/sharp__animated-loop-3.gif', 'video/mp4')
    process.stdout.write(
      `${packed!.filename}: installed elsewhere (${weight}), ${source} bytes became ${bytes}, score ${score}\n`,
    )
  } finally {
    service.stop()
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
