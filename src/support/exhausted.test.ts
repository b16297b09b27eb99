import { describe, expect, it } from 'vitest'
import { exhaustedBy, exhaustion } from './exhausted.ts'

const withCode = (code: string) => Object.assign(new Error(`${code}: it did not work`), { code })

describe('exhausted resources', () => {
  it.each([
    [withCode('ENOSPC'), 'no space'],
    [withCode('EMFILE'), 'descriptors'],
    [Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' }), 'no space'],
    [withCode('EROFS'), 'read-only'],
    [new Error('VipsForeignSave: write failed: No space left on device'), 'no space'],
  ])('names the exhausted resource of %s', (error, what) => {
    expect(exhaustedBy(error)).toContain(what)
    expect(exhaustion(error)).toMatchObject({ status: 503, cause: error })
  })

  it.each([
    [withCode('ENOENT')],
    [new Error('a fault of ours')],
    ['no error at all'],
    [undefined],
  ])('nothing, when it is %s', (error) =>
    expect([exhaustedBy(error), exhaustion(error)]).toEqual([undefined, undefined]))
})
