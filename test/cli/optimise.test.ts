import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findChanged, findFiles } from '../../src/cli/optimise/find-files.ts'
import { readFlags } from '../../src/cli/optimise/flags.ts'
import { goalsFor, outputFor } from '../../src/cli/optimise/goals.ts'
import { sayOutcome, sayPercent, sayTotals } from '../../src/cli/optimise/report-lines.ts'
import { showName } from '../../src/cli/optimise/show-name.ts'

const PHOTO = resolve(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png')

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'whittle-cli-'))
  mkdirSync(join(place, 'in'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const at = (...parts: string[]): string => join(place, ...parts)

describe('flags', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['no target', ['a'], ['Say where results go']],
    ['two targets', ['a', '--out', 'x', '--in-place'], ['exclude each other']],
    ['no input', ['--in-place'], ['Name files, folders or globs']],
    ['a wrong quality', ['a', '--in-place', '--quality', 'best'], ['quality=best', 'quality=high']],
    ['a wrong size', ['a', '--in-place', '--size', '0'], ['--size 0 is wrong']],
    ['a size of nothing', ['a', '--in-place', '--size', '0'], ['whole numbers of at least 1']],
    [
      'a size with another option',
      ['a', '--in-place', '--size', '800,quality=low'],
      ['--size 800,quality=low is wrong'],
    ],
    ['a size and a crop', ['a', '--in-place', '--size', '800x600,crop'], ['--size 800x600,crop is wrong']],
    ['the full size', ['a', '--in-place', '--size', 'full'], ['--size full is wrong']],
    ['an option that is no size', ['a', '--in-place', '--size', '2x'], ['--size 2x is wrong']],
    ['a wrong format', ['a', '--out', 'x', '--format', 'bmp'], ['--format bmp is wrong']],
    ['a format in place', ['a', '--in-place', '--format', 'webp'], ['keeps its format']],
    ['a format among the options', ['a', '--out', 'x', '--options', 'full,format=webp'], ['with --format']],
    ['no cores', ['a', '--in-place', '--max-cpu', '0'], ['--max-cpu 0 is wrong']],
    ['more than all cores', ['a', '--in-place', '--max-cpu', '200%'], ['--max-cpu 200% is wrong', 'at most 100%']],
    ['a wrong percentage', ['a', '--check', 'lots'], ['--check lots is wrong']],
    ['a flag of other tools', ['a', '--suffix', '.min'], ['There is no flag --suffix.', '--out DIR']],
    ['a slip in a flag', ['a', '--in-plase'], ['Did you mean --in-place?']],
    ['an unknown flag', ['a', '--in-place', '--wibble'], ['There is no flag --wibble.']],
    [
      'several at once',
      ['--quality', 'best', '--max-cpu', 'x'],
      ['Say where', 'Name files', 'quality=best', '--max-cpu'],
    ],
  ])('%s is reported', (_, argv, texts) => {
    const read = readFlags(argv)
    const problems = read.kind === 'wrong' ? read.problems.join('\n') : ''
    for (const text of texts) expect(problems).toContain(text)
  })

  it('flags become an option list', () => {
    const read = readFlags([
      'a',
      '--out',
      'x',
      '--size',
      '800x600',
      '--crop',
      'auto',
      '--quality',
      'high',
      '--options',
      '2x',
      '--max-cpu',
      '1',
    ])
    expect(read.kind === 'ok' ? read.flags : read).toMatchObject({
      list: '800x600,crop=auto,quality=high,2x',
      workers: 1,
      formats: [],
    })
  })

  it.each([
    [['--quality', 'high'], 'full,quality=high'],
    [['--options', '2x'], 'full,2x'],
    [['--options', '800,2x'], '800,2x'],
    [['--options', 'full'], 'full'],
  ])('%j without a size are read with "full", so that no file gets a warning about it', (argv, list) => {
    const read = readFlags(['a', '--out', 'x', ...argv])
    expect(read.kind === 'ok' ? read.flags.list : read).toBe(list)
  })
})

describe('goals and output paths', () => {
  const flags = (argv: readonly string[]) => {
    const read = readFlags(['a', ...argv])
    if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
    return read.flags
  }
  it.each([
    [['--in-place'], 'png', [{ list: 'full,format=png', only: 'png', mustGain: true }]],
    [['--in-place'], 'jpeg', [{ list: 'full', only: 'jpeg', mustGain: true }]],
    [['--in-place', '--size', '300'], 'webp', [{ list: '300,format=webp', only: 'webp', mustGain: false }]],
    [['--out', 'x'], 'png', [{ list: 'full', mustGain: true }]],
    [['--out', 'x', '--quality', 'high'], 'png', [{ list: 'full,quality=high', mustGain: true }]],
    [
      ['--out', 'x', '--format', 'webp,jpg'],
      'png',
      [
        { list: 'full,format=webp', mustGain: false },
        { list: 'full,format=jpeg', mustGain: false },
      ],
    ],
  ])('%j of a %s', (argv, source, goals) => expect(goalsFor(flags(argv), source)).toEqual(goals))

  it('refuses to replace a format that results cannot have', () => {
    expect(() => goalsFor(flags(['--in-place']), 'tiff')).toThrow('A TIFF file has no smaller form of its own')
  })

  it.each([
    ['sub/a.png', 'png', false, 'sub/a.png'],
    ['sub/a.png', 'jpeg', false, 'sub/a.jpg'],
    ['sub/a.png', 'jpeg', true, 'sub/a.png.jpg'],
    ['a.JPEG', 'jpeg', false, 'a.JPEG'],
  ] as const)('%s as %s (ambiguous: %s) is %s', (relative, format, isAmbiguous, output) => {
    const file = { path: `/in/${relative}`, relative, isAmbiguous }
    expect(outputFor(file, { target: { kind: 'out', directory: '/out' } }, format)).toBe(`/out/${output}`)
  })
})

describe('printed texts', () => {
  it('control characters of a name are escaped', () => {
    expect(showName('a\nb\u001b[31m \u{1f99c}.png')).toBe('a\\nb\\u001b[31m \u{1f99c}.png')
  })
  it('names the format of a result that is not written and differs from its source', () => {
    const facts = { kind: 'smaller', sourceBytes: 200, bytes: 100, warnings: [] } as const
    expect(sayOutcome({ ...facts, path: 'a.png', format: 'jpeg' })).toBe('a.png: 200 -> 100 bytes as JPEG (-50.0 %)')
    expect(sayOutcome({ ...facts, path: 'a.png', format: 'png' })).toBe('a.png: 200 -> 100 bytes (-50.0 %)')
  })
  it('counts no failed file as a result', () => {
    expect(sayTotals({ files: 1, failed: 1, unchanged: 0, sourceBytes: 0, bytes: 0 })).toBe(
      '0 results: 0 -> 0 bytes (0.0 %), 1 failed',
    )
  })
  it('prints percentages', () => {
    expect([sayPercent(1000, 127), sayPercent(100, 148), sayPercent(0, 0)]).toEqual(['-87.3 %', '+48.0 %', '0.0 %'])
  })
})

describe('files', () => {
  it('files are found once, without cyclic links and without the folder of the results', async () => {
    for (const name of ['a.png', 'b.txt']) copyFileSync(PHOTO, at('in', name))
    mkdirSync(at('in/sub'))
    symlinkSync(at('in'), at('in/sub/loop'))
    symlinkSync(at('in/x'), at('in/y.png'))
    symlinkSync(at('in/y.png'), at('in/x'))
    mkdirSync(at('in/out'))
    copyFileSync(PHOTO, at('in/out/c.png'))
    const found = await findFiles([at('in'), at('in/*.png')], { except: at('in/out') })
    expect(found.files.map(({ relative }) => relative)).toEqual(['a.png'])
    expect(found.problems.map(({ text }) => text)).toContain('its symbolic links lead in a circle')
  })

  it('a changed file is found as in its folder, unless it is excluded or lies behind a link that leads out', async () => {
    for (const folder of ['in/sub', 'private']) mkdirSync(at(folder))
    for (const name of ['in/sub/a.png', 'in/sub/b.min.png', 'private/c.png']) copyFileSync(PHOTO, at(name))
    symlinkSync(at('private'), at('in/moved'))
    const changed = async (name: string): Promise<readonly string[]> =>
      (await findChanged(at('in'), at('in', name), ['*.min.png'])).map(({ relative }) => relative)
    expect(await changed('sub/a.png')).toEqual(['sub/a.png'])
    for (const name of ['sub/b.min.png', 'moved/c.png', 'gone.png']) expect(await changed(name)).toEqual([])
  })
})
