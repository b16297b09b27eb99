import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digestsBelow, judgeInterruption } from '../../scripts/optimise/interruptions.ts'
import { FIXTURES } from '../http/start.ts'

const RUN = { status: 130, stdout: '', stderr: '', seconds: 1, cpuSeconds: 1 }

it('check:optimise finds missing, leftover and partial files, and counts replaced ones', async () => {
  const place = mkdtempSync(join(tmpdir(), 'whittle-judge-'))
  try {
    const photo = join(FIXTURES, 'jpeg/kodim23-190x158.png')
    const [kept, whole, half, gone] = ['kept.png', 'whole.png', 'half.png', 'gone.png'].map((name) => join(place, name))
    for (const path of [kept!, whole!, half!, gone!]) copyFileSync(photo, path)
    const before = digestsBelow(place)
    copyFileSync(join(FIXTURES, 'jpeg/kodim05-190x158.png'), whole!)
    writeFileSync(half!, readFileSync(photo).subarray(0, 900))
    rmSync(gone!)
    writeFileSync(join(place, '.kept.png.tmp'), '')
    expect(await judgeInterruption(place, before, RUN)).toEqual({
      seconds: 1,
      status: 130,
      replaced: 2,
      lost: [`${gone} is gone`, `${join(place, '.kept.png.tmp')} was left over`, `${half} is not whole`],
    })
  } finally {
    rmSync(place, { recursive: true })
  }
})
