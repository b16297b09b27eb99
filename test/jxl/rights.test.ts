import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { withRights } from '../../src/containers/rights/embed.ts'
import { jxlFromJpeg } from '../../src/jxl/from-jpeg.ts'

it('keeps rights in a JPEG XL container that exiftool reads and djxl decodes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'whittle-jxl-rights-'))
  try {
    const jpeg = await sharp(join(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png'))
      .jpeg()
      .toBuffer()
    const rights = new Map([
      ['artist', ['Ada']],
      ['copyright', ['Ada 2026']],
    ] as const)
    const file = join(directory, 'a.jxl')
    writeFileSync(file, withRights('jxl', jxlFromJpeg(jpeg).bytes, { rights, orientation: 1 }))
    const [tags] = JSON.parse(execFileSync('exiftool', ['-json', file], { encoding: 'utf8' }))
    expect(tags).toMatchObject({ Artist: 'Ada', Copyright: 'Ada 2026', ImageWidth: 190, ImageHeight: 158 })
    execFileSync('djxl', [file, join(directory, 'a.ppm')], { stdio: 'ignore' })
    expect(readFileSync(join(directory, 'a.ppm')).toString('latin1', 0, 11)).toMatch(/^P6\s190\s158/)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
