/**
 * Damages JPEGs at random and transcodes them. Only refusals may be thrown, within a time limit, and a result
 * must decode. It must decode to the source's very samples when neither we nor libjpeg-turbo find the source damaged.
 * Usage: node test/jpeg/fuzz.ts [CASES] [DIR ...] [--from SEED] [--compare EVERY]
 * 10000 cases over the fixtures, when nothing is said, seeds from 0, every 20th stored one compared. A DIR's JPEGs up to 60 kB
 * are taken as they are, of larger ones a crop; each is stored undamaged, too. Ends with status 1 when anything went wrong,
 * and leaves those cases in the temporary directory.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import type { TranscodedJpeg } from '../../src/jpeg/bitstream/transcode.ts'
import { damage } from '../fuzz/damage.ts'
import { largestDifference } from './fixtures.ts'
import { survive } from './survive.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: '0' }, compare: { type: 'string', default: '20' } },
})
const cases = Number(positionals[0] ?? 10_000)
const from = Number(values.from)
const directories = [fileURLToPath(new URL('../fixtures/jpeg', import.meta.url)), ...positionals.slice(1)]
/** Milliseconds after which a case counts as hanging. */
const deadline = 10_000
const tally = { stored: 0, refused: 0, compared: 0, equal: 0, wrong: 0 }
const slowest = { ms: 0, what: '' }

interface Source {
  name: string
  bytes: Uint8Array
}

const isJpeg = ({ bytes }: Source): boolean => bytes[0] === 0xff && bytes[1] === 0xd8

/** A file as it is; of a large JPEG a crop in one of eight forms. */
const sourceOf = async (path: string, name: string, nth: number): Promise<Source[]> => {
  const whole = { name, bytes: new Uint8Array(readFileSync(path)) }
  if (whole.bytes.length <= 60_000) return [whole]
  if (!isJpeg(whole)) return []
  const options = {
    progressive: nth % 2 === 0,
    chromaSubsampling: nth % 4 < 2 ? '4:2:0' : '4:4:4',
    mozjpeg: nth % 8 < 4,
  }
  const crop = sharp(whole.bytes, { failOn: 'none' }).resize(200, 150, { fit: 'cover', kernel: 'nearest' })
  return [{ name: `${name}, cropped`, bytes: new Uint8Array(await crop.jpeg({ ...options, quality: 85 }).toBuffer()) }]
}

const listed = directories.flatMap((directory) =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ path: `${directory}/${name}`, name })),
)
const sources = (await Promise.all(listed.map(({ path, name }, i) => sourceOf(path, name, i).catch(() => [])))).flat()
const jpegs = sources.filter(isJpeg)

const fail = (bytes: Uint8Array, what: string, why: unknown): void => {
  const path = `${tmpdir()}/fuzz-${process.pid}-${tally.wrong++}.jpg`
  writeFileSync(path, bytes)
  console.error(`${what} (${path}): ${why}`)
}

const samples = (bytes: Uint8Array): Promise<Uint8Array> =>
  sharp(bytes, { failOn: 'warning', ignoreIcc: true })
    .raw()
    .toBuffer()
    .then((data) => new Uint8Array(data))

/** Checks that a result decodes without a warning, and to the same samples if the source does. */
const compare = async (source: Uint8Array, { bytes, truncated }: TranscodedJpeg, what: string): Promise<void> => {
  const facts = await sharp(bytes).metadata()
  if (facts.width * facts.height > 4_000_000) return
  tally.compared++
  const after = await samples(bytes).catch((error: Error) => fail(source, what, `stored: ${error.message}`))
  const before = truncated ? undefined : await samples(source).catch(() => undefined)
  if (!before || !after) return
  if (largestDifference(before, after) === 0) tally.equal++
  else fail(source, what, 'the samples differ')
}

const check = async (bytes: Uint8Array, what: string): Promise<void> => {
  const start = performance.now()
  let transcoded: TranscodedJpeg | undefined
  try {
    transcoded = survive(bytes)
    tally[transcoded ? 'stored' : 'refused']++
  } catch (error) {
    fail(bytes, what, error)
  }
  const ms = performance.now() - start
  if (ms > slowest.ms) Object.assign(slowest, { ms, what })
  if (ms > deadline) fail(bytes, what, `took ${ms.toFixed(0)} ms`)
  if (transcoded && tally.stored % Number(values.compare) === 0) await compare(bytes, transcoded, what)
}

const report = (done: string): void => {
  const { stored, refused, compared, equal, wrong } = tally
  const slow = `slowest ${slowest.ms.toFixed(0)} ms (${slowest.what})`
  console.log(
    `${done}: ${stored} stored, ${refused} refused, ${compared} compared (${equal} equal), ${wrong} wrong; ${slow}`,
  )
}

for (const { name, bytes } of sources) await check(bytes, name)
report(`${sources.length} sources as they are, ${jpegs.length} of them JPEGs`)
for (let seed = from; seed < from + cases; seed++) {
  const { name, bytes } = jpegs[seed % jpegs.length]!
  await check(damage(bytes, seed), `${name}, seed ${seed}`)
  if ((seed - from + 1) % 500 === 0) report(`${seed - from + 1} of ${cases}`)
}
report('All')
process.exitCode = tally.wrong > 0 ? 1 : 0
