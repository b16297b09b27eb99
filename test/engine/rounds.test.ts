import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { withMark } from '../../src/containers/mark/mark.ts'
import { type OptimisedImage, openOptimiser } from '../../src/library/optimiser.ts'
import { compare } from '../../src/library/whittle.ts'
import { PROMISES } from '../../src/plan/targets.ts'

const PHOTO = resolve(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png')
const ANIMATION = resolve(import.meta.dirname, '../../bench/public/sharp__animated-loop-3.gif')

const directory = mkdtempSync(join(tmpdir(), 'rounds-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

let files = 0
const stored = (bytes: Uint8Array): string => {
  files += 1
  const path = join(directory, `file-${files}`)
  writeFileSync(path, bytes)
  return path
}

/** Optimises with each list in turn, each time by an optimiser of its own. */
const rounds = async (source: string, lists: readonly string[]): Promise<readonly OptimisedImage[]> => {
  const results: OptimisedImage[] = []
  for (const list of lists) {
    await using optimiser = openOptimiser({ workers: 1 })
    const last = results.at(-1)
    results.push(await optimiser.optimiseFile(last === undefined ? source : stored(last.bytes), list))
  }
  return results
}

const pixels = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes, { animated: true }).raw().toBuffer()

describe('a result that is optimised again by an engine that has never seen it', () => {
  it.each([
    ['jpeg', PHOTO],
    ['png', PHOTO],
    ['webp', PHOTO],
    ['avif', PHOTO],
    ['gif', ANIMATION],
    ['webp', ANIMATION],
  ])('keeps its pixels and does not grow as %s', async (format, source) => {
    const list = `full,format=${format}`
    const [first, second, third] = await rounds(source, [list, list, `${list},quality=high`])
    expect((await pixels(second!.bytes)).equals(await pixels(first!.bytes))).toBe(true)
    expect((await pixels(third!.bytes)).equals(await pixels(first!.bytes))).toBe(true)
    expect(second!.bytes.length).toBeLessThanOrEqual(first!.bytes.length)
    expect(third!.bytes.length).toBeLessThanOrEqual(second!.bytes.length)
  })

  it('keeps its pixels with a size that changes nothing', async () => {
    const [first, second] = await rounds(PHOTO, ['full,format=jpeg', '500x500'])
    expect(Buffer.from(second!.bytes).equals(first!.bytes)).toBe(true)
  })

  it('keeps the bounds of a lower preset against the first source', async () => {
    const [, second] = await rounds(PHOTO, ['full,format=jpeg,quality=high', 'full,quality=medium'])
    const { score, butteraugli } = await compare(PHOTO, second!.bytes)
    expect(score).toBeGreaterThanOrEqual(PROMISES.medium.ssimulacra)
    expect(butteraugli).toBeLessThanOrEqual(PROMISES.medium.butteraugli3)
  })

  it('gets a warning where another format adds a second loss', async () => {
    const [, second] = await rounds(PHOTO, ['full,format=jpeg', 'full,format=webp'])
    expect(second!.warnings.join()).toContain('already a result at quality=medium')
    expect(second!.score).toBeGreaterThanOrEqual(80)
  })

  it('is handled as any source when its size changes', async () => {
    const [, second] = await rounds(PHOTO, ['full,format=jpeg', '95'])
    expect([second!.width, second!.untouched]).toEqual([95, false])
  })
})

describe('a forged mark', () => {
  const mark = { level: 'low', density: 1, loss: 0, distance: 0 } as const
  it('returns the same pixels without metadata', async () => {
    const source = await sharp(PHOTO)
      .withExif({ IFD0: { Artist: 'Somebody' } })
      .avif({ quality: 60 })
      .toBuffer()
    const [result] = await rounds(stored(withMark('avif', source, mark)), ['full,format=avif'])
    expect(Buffer.from(result!.bytes).includes('Somebody')).toBe(false)
    expect((await pixels(result!.bytes)).equals(await pixels(source))).toBe(true)
  })
  it('does not hide the damage of a file, which is refused', async () => {
    const damaged = Buffer.from(await sharp(PHOTO).webp().toBuffer()).fill(255, 30)
    await expect(rounds(stored(withMark('webp', damaged, mark)), ['full,format=webp'])).rejects.toThrow()
  })
})
