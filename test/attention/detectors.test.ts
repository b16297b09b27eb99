import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { lazyDetectors, loadDetectors } from '../../src/attention/detectors.ts'
import { findAttention } from '../../src/attention/find-attention.ts'
import { MODELS, portrait } from './portrait.ts'

/** A copy of the models with something done to one file. */
const spoilt = async (spoil: (file: string) => Promise<void>) => {
  const folder = await mkdtemp(join(tmpdir(), 'models-'))
  await cp(MODELS, folder, { recursive: true })
  await spoil(join(folder, 'faces.network'))
  return { folder: pathToFileURL(`${folder}/`), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

describe('findAttention', () => {
  it('finds the face of a portrait', async () => {
    const { faces, objects, focus } = await findAttention(await portrait())
    expect(faces).toHaveLength(1)
    const [{ x, y, width, height, score }] = faces as [(typeof faces)[number]]
    expect(score).toBeGreaterThan(0.7)
    expect(Math.abs(x + width / 2 - focus.x)).toBeLessThan(0.15)
    expect([y > 0.05, y + height < 0.75, width > 0.2, width < 0.6]).toEqual([true, true, true, true])
    // All of him, from the crown on: as the network's input is scaled, it was trained.
    const [person] = objects as [(typeof objects)[number]]
    expect([person.category, person.score > 0.8, person.y < 0.05, person.height > 0.9]).toEqual([0, true, true, true])
  })

  it.each<[string, (file: string) => Promise<void>, RegExp]>([
    ['missing', (file) => rm(file), /faces\.network cannot be read \(ENOENT/],
    [
      'truncated',
      async (file) => writeFile(file, (await readFile(file)).subarray(0, 90_000)),
      /checksum does not match/,
    ],
    ['empty', (file) => writeFile(file, ''), /faces\.network cannot be read \(its checksum does not match/],
    [
      'damaged by one bit of its header',
      async (file) => {
        const bytes = await readFile(file)
        bytes[60]! ^= 1
        await writeFile(file, bytes)
      },
      /checksum does not match/,
    ],
    [
      'damaged by one bit of its weights',
      async (file) => {
        const bytes = await readFile(file)
        bytes[bytes.length - 1000]! ^= 1
        await writeFile(file, bytes)
      },
      /checksum does not match/,
    ],
  ])('refuses a network that is %s', async (_, spoil, message) => {
    await using models = await spoilt(spoil)
    await expect(loadDetectors(models.folder)).rejects.toThrow(message)
  })

  it('uses the other features and gives one notice if the networks cannot be loaded', async () => {
    const notices: string[] = []
    const open = lazyDetectors(() => Promise.reject(new Error('models/faces.network cannot be read.')))
    for (let time = 0; time < 3; time++) {
      const { faces, objects, focus } = await findAttention(await portrait(), (notice) => notices.push(notice), open)
      expect([faces, objects]).toEqual([[], []])
      expect(Math.abs(focus.x - 0.5)).toBeLessThan(0.25)
    }
    expect(notices).toEqual([
      'crop=auto works without detecting faces and objects: models/faces.network cannot be read.',
    ])
  })
})
