import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Case, PAST_ONE_MACHINE, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start()
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(() => expect.poll(service.leftovers).toEqual([]))

const PICTURE = 'pixels/pngsuite__basn3p02.png'
const withOptions = (options: string) => service.post(`anna/${options}/${service.file(PICTURE)}`)

describe('slightly wrong options (§2.2)', () => {
  it.each([
    'FULL',
    'full,2X',
    '20%20,fit',
    'full,,',
    '20,20',
    '20x20,fit,crop',
    '20px',
    '20x20,pad,bgcolor=%23fff',
    'full,format=jpg',
    'full,high',
    '20x20,pad,ab3',
    'full,20',
    '2x',
    'quality=high',
    '20,crop',
    '20x20,1.5x',
    '20x20,4x',
    'x20',
    '20x20,crop=50x25',
    '20x20,crop=0.5x',
    'full,quality=80',
    'full,timeout=5s',
    'full,timeout=9999',
    '20000x20000',
    '20,quality=lossless',
    '20x20,scaleDown',
    '10,multiply=2x',
    '20x20,cropX=0.5',
  ])('%s works, with a Warning', async (options) => {
    const answer = await withOptions(options)
    await answer.arrayBuffer()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('warning')).toMatch(/^299 - "[\x20-\x7e]+"/)
  })

  it.each([
    'full',
    '20x20',
    '20,2x',
    '20x20,crop=left,quality=low',
    '20x20,pad,bgcolor=abc,timeout=5',
  ])('%s gives no Warning', async (options) => {
    const answer = await service.post(`anna/${options}/${service.file('jpeg/kodim23-190x158.png')}`)
    await answer.arrayBuffer()
    expect([answer.status, answer.headers.get('warning')]).toEqual([200, null])
  })

  it('returns one Warning for each slight error, at most 8', async () => {
    const answer = await withOptions('FULL,,20PX,2X,FIT,CROP,PAD,high,quality=low,multiply=2x,cropX=0.5,abc,timeout=5s')
    await answer.arrayBuffer()
    const warnings = (answer.headers.get('warning') ?? '').match(/299 - "/g) ?? []
    expect(warnings.length).toBeGreaterThan(1)
    expect(warnings.length).toBeLessThanOrEqual(8)
  })
})

describe('wrong options (§2.3)', () => {
  it.each<readonly [string, readonly string[]]>([
    ['fulll', ['fulll', 'full']],
    ['qualty=high', ['qualty=high', 'quality']],
    ['crop=diagonal', ['crop=diagonal']],
    ['0x20', ['0x20']],
    ['-20', ['-20']],
    ['20.5x20', ['20.5x20']],
    ['full;2x', ['full;2x']],
    ['full,format=bmp', ['format=bmp', 'png']],
    ['full,timeout=0', ['timeout=0']],
    ['full,bgcolor=reddish', ['bgcolor=reddish']],
    ['nonsense,20x20,alsowrong', ['nonsense', 'alsowrong']],
    // nginx itself refuses it.
    ...(PAST_ONE_MACHINE === undefined ? [['%00%ff', ['%00%ff']] as const] : []),
  ])('%s gets 400 and a text that names it', async (options, texts) => {
    const answer = await withOptions(options)
    const told = await answer.text()
    expect(answer.status).toBe(400)
    for (const text of texts) expect(told).toContain(text)
  })
})

it('the order of the options does not change the image (§2.1)', async () => {
  const answers = await Promise.all(
    ['16x8,crop=left,quality=high,2x', '2x,quality=high,crop=left,16x8'].map(withOptions),
  )
  const [one, other] = await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  expect(Buffer.from(one!)).toEqual(Buffer.from(other!))
})
