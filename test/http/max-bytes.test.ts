import { expect, it } from 'vitest'
import { start } from './start.ts'

it('keeps a budget of bytes over HTTP, with the score in its headers and a Warning (§3.7)', async () => {
  await using service = await start()
  const answer = await service.post(
    `anna/full,format=jpeg,quality=high,max-bytes=2500/${service.file('jpeg/kodim23-190x158.png')}`,
  )
  const { byteLength } = await answer.arrayBuffer()
  expect([answer.status, byteLength <= 2500]).toEqual([200, true])
  expect(Number(answer.headers.get('x-score'))).toBeGreaterThan(50)
  expect(answer.headers.get('warning')).toContain('max-bytes=2500 lowered the quality')
})
