import { mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import * as files from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type AllowedFolders, allowFolders } from '../../src/mcp/allowed-folders.ts'
import { scratchDirectory } from '../scratch.ts'

vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original()
  return { ...real, link: vi.fn(real.link) }
})

/** Bytes whose disk is full after the first of them. */
const cutOff = (): Uint8Array =>
  Readable.from(
    (async function* () {
      yield Buffer.alloc(9)
      throw new Error('no space left')
    })(),
  ) as never

describe('writing into an allowed folder', () => {
  let folder: string
  let allowed: AllowedFolders
  beforeEach(async () => {
    folder = await scratchDirectory('allowed')
    allowed = await allowFolders([folder])
  })

  it.each([true, false])('leaves no part of a file that cannot be written (overwrite: %s)', async (overwrite) => {
    const write = await allowed.prepareWrite('a.png', overwrite)
    await expect(write(cutOff())).rejects.toThrow('no space left')
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    'sub',
    'file/a.png',
    'a\0.png',
  ])('refuses %j before the work, since no file can have that name', async (path) => {
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'file'), '')
    await expect(allowed.prepareWrite(path, true)).rejects.toThrow('cannot be the name of a file')
  })

  it('refuses a folder that became a link out of the allowed ones during the work', async () => {
    const outside = await scratchDirectory('outside')
    mkdirSync(join(folder, 'sub'))
    const write = await allowed.prepareWrite('sub/a.png', false)
    rmdirSync(join(folder, 'sub'))
    symlinkSync(outside, join(folder, 'sub'))
    await expect(write('bytes')).rejects.toThrow('outside of the allowed folders')
    expect(readdirSync(outside)).toEqual([])
  })

  it('names a new file without hard links too', async () => {
    const refused = Object.assign(new Error('no hard links'), { code: 'EPERM' })
    vi.mocked(files.link).mockRejectedValueOnce(refused).mockRejectedValueOnce(refused)
    const [first, second] = [await allowed.prepareWrite('a.png', false), await allowed.prepareWrite('a.png', false)]
    expect(await first('first')).toBe(join(folder, 'a.png'))
    await expect(second('second')).rejects.toThrow('Set "overwrite"')
    expect(readdirSync(folder)).toEqual(['a.png'])
    expect(readFileSync(join(folder, 'a.png'), 'utf8')).toBe('first')
  })

  it('replaces a file only with overwrite, also one that came meanwhile, and leaves nothing next to it', async () => {
    writeFileSync(join(folder, 'a.png'), 'old')
    await expect(allowed.prepareWrite('a.png', false)).rejects.toThrow('Set "overwrite"')
    expect(readFileSync(join(folder, 'a.png'), 'utf8')).toBe('old')
    await (await allowed.prepareWrite('a.png', true))('new')
    const writeSecond = await allowed.prepareWrite('b.png', false)
    const writeThird = await allowed.prepareWrite('b.png', false)
    await writeSecond('second')
    await expect(writeThird('third')).rejects.toThrow('Set "overwrite"')
    expect(readdirSync(folder)).toEqual(['a.png', 'b.png'])
    expect(['a.png', 'b.png'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['new', 'second'])
  })
})
