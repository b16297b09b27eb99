/**
 * `npm run corpus -- DIR [--from FOLDER]`: collects the public images of `bench/corpus.tsv` in DIR, a folder a category. A file counts only with
 * the bytes that the table names by SHA-256. Files in FOLDER, whatever their names, come first; the others are fetched from their addresses.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

/** A row of `bench/corpus.tsv`. */
export interface CorpusImage {
  /** Path inside the collected folder. */
  readonly file: string
  readonly bytes: number
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string
  readonly licence: string
  /** A URL that gives the file itself, or the name of what it is part of (a Debian package, an archive). */
  readonly address: string
}

/** The rows of the table, whose first line names the columns. Throws where a row lacks one. */
export const parseCorpus = (text: string): CorpusImage[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [file, bytes, hash, licence, address] = line.split('\t')
      if (!(file && bytes && hash && licence && address)) throw new Error(`bench/corpus.tsv: not a row: ${line}`)
      return { file, bytes: Number(bytes), hash, licence, address }
    })

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Paths by SHA-256 of all files of a folder that are as large as one of `images`. */
const indexFolder = async (folder: string, images: readonly CorpusImage[]): Promise<Map<string, string>> => {
  const sizes = new Set(images.map(({ bytes }) => bytes))
  const paths = new Map<string, string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if (sizes.has((await stat(path)).size)) paths.set(hashOf(await readFile(path)), path)
  }
  return paths
}

/** Returns the bytes at a URL; undefined where there are none. */
export type Download = (url: string) => Promise<Uint8Array | undefined>

const download: Download = async (url) => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
  return response?.ok === true ? response.bytes() : undefined
}

/** Outcome for an image: already there, taken from the folder, fetched, or missing. */
export type Collected = 'there' | 'folder' | 'fetched' | 'missing'

interface Collection {
  readonly directory: string
  /** A folder with files that may be among the images. */
  readonly from?: string
  readonly get?: Download
}

/** Where an image may be, the cheapest first. */
const sourcesOf = (
  { file, hash, address }: CorpusImage,
  { directory, get = download }: Collection,
  known: ReadonlyMap<string, string>,
): readonly (readonly [Collected, () => Promise<Uint8Array | undefined>])[] => {
  const inFolder = known.get(hash)
  return [
    ['there', () => readFile(join(directory, file)).catch(() => undefined)],
    ['folder', async () => (inFolder === undefined ? undefined : readFile(inFolder))],
    ['fetched', async () => (address.startsWith('https://') ? get(address) : undefined)],
  ]
}

/** Collects images, and reports each as it is done. */
export const collect = async (
  images: readonly CorpusImage[],
  collection: Collection,
  report: (image: CorpusImage, collected: Collected) => void,
): Promise<void> => {
  const known = collection.from === undefined ? new Map<string, string>() : await indexFolder(collection.from, images)
  const collectOne = async (image: CorpusImage): Promise<Collected> => {
    const path = join(collection.directory, image.file)
    for (const [kind, read] of sourcesOf(image, collection, known)) {
      const bytes = await read()
      if (bytes === undefined || hashOf(bytes) !== image.hash) continue
      await mkdir(dirname(path), { recursive: true })
      if (kind !== 'there') await writeFile(path, bytes)
      return kind
    }
    return 'missing'
  }
  for (const image of images) report(image, await collectOne(image))
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { from: { type: 'string' } } })
  const [directory] = positionals
  if (directory === undefined) throw new Error('Usage: npm run corpus -- DIR [--from FOLDER]')
  const images = parseCorpus(await readFile(join(import.meta.dirname, '../corpus.tsv'), 'utf8'))
  const counts = { there: 0, folder: 0, fetched: 0, missing: 0 }
  await collect(
    images,
    { directory, ...(values.from === undefined ? {} : { from: values.from }) },
    (image, collected) => {
      counts[collected] += 1
      if (collected === 'missing') console.error(`missing: ${image.file} (${image.address})`)
    },
  )
  console.log(
    `${images.length} images: ${counts.there} already there, ${counts.folder} from the folder, ${counts.fetched} fetched, ${counts.missing} missing`,
  )
  if (counts.missing > 0) process.exitCode = 1
}

if (import.meta.main) await main()
