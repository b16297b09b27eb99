import { expect, it } from 'vitest'
import { releaseBuffer } from './release-buffer.ts'

const bytesOf = (length: number): Buffer => Buffer.from(new Uint8Array(length).buffer)

it('frees bytes that own their whole buffer', () => {
  const bytes = bytesOf(65_536)
  releaseBuffer(bytes)
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0])
})

it('keeps bytes that share their buffer', () => {
  const whole = bytesOf(65_536)
  releaseBuffer(whole.subarray(300))
  releaseBuffer(whole.subarray(0, 65_535))
  releaseBuffer(Buffer.from('of the pool'))
  expect(whole.length).toBe(65_536)
})
