import { expect, it } from 'vitest'
import { minJpegBytes } from './min-jpeg-bytes.ts'

it.each([
  [8, 8, true, 0],
  [64, 64, true, 8],
  [64, 64, false, 12],
  [65, 64, true, 9],
  [3640, 2400, false, 25612],
])('%d x %d px (grey: %s) take at least %d bytes', (width, height, grey, bytes) => {
  expect(minJpegBytes({ width, height }, grey)).toBe(bytes)
})
