/** Time and CPU of the service's answers, one image at a time: `npm run bench:answers -- --help`. */
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { basename } from 'node:path'
import { startService } from '../scripts/corpus/service.ts'
import { quantile } from './corpus/floor.ts'
import { readCommand, requirePaths } from './corpus/help.ts'
import { imagesIn } from './eye/arguments.ts'

const HELP = `Time that the service takes to answer, and its CPU, which a busy machine does not distort. One image is sent after the other:
prints the median, the 90 % quantile and the worst, in seconds, and the twelve images that take most.

Usage: npm run bench:answers -- [options] <folder or file> ...

  --options LIST  options of each request, as in an address (full)
  --help          says this
`

const { values, positionals } = readCommand(HELP, {
  allowPositionals: true,
  options: { options: { type: 'string', default: 'full' } },
})
const files = requirePaths(HELP, positionals).flatMap((path) => imagesIn(path, Number.POSITIVE_INFINITY))

interface Answer {
  readonly file: string
  readonly status: number
  readonly bytes: number
  readonly seconds: number
  readonly cpu: number
}

const rounded = (seconds: number): number => Number(seconds.toFixed(2))

const service = await startService()
try {
  const send = async (path: string, options: string): Promise<Answer> => {
    const [since, cpu] = [performance.now(), await service.cpuSeconds()]
    const init = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: await readFile(path) }
    const answer = await fetch(`${service.address}/demo/${options}`, { ...init, redirect: 'manual' })
    const bytes = (await answer.arrayBuffer()).byteLength
    const seconds = (performance.now() - since) / 1000
    return { file: basename(path), status: answer.status, bytes, seconds, cpu: (await service.cpuSeconds()) - cpu }
  }
  // The first images of a child compile and load.
  for (const path of files.slice(0, 3)) await send(path, '50')
  const answers: Answer[] = []
  for (const path of files) answers.push(await send(path, values.options))
  const [seconds, cpu] = [answers.map((one) => one.seconds), answers.map((one) => one.cpu)]
  for (const [name, list] of Object.entries({ seconds, cpu }))
    console.log(
      `${name}: median ${rounded(quantile(list, 0.5))}, 90 % within ${rounded(quantile(list, 0.9))}, worst ${rounded(quantile(list, 1))}`,
    )
  console.log(`${files.length} images; load of the machine at the end ${loadavg()[0]!.toFixed(1)}`)
  const worst = answers.toSorted((a, b) => b.cpu - a.cpu).slice(0, 12)
  console.table(worst.map((one) => ({ ...one, seconds: rounded(one.seconds), cpu: rounded(one.cpu) })))
} finally {
  await service.stop()
}
