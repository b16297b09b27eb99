import { expect, it } from 'vitest'
import { textLine } from './text-line.ts'

it('writes time, level, message and fields of a JSON line', () => {
  const line =
    '{"level":"warn","time":"2026-11-24T16:00:32.763Z","path":"/bin/ffmpeg","count":2,"msg":"an old ffmpeg"}\n'
  expect(textLine(line)).toBe('16:00:32 warn  an old ffmpeg path=/bin/ffmpeg count=2\n')
})

it('indents the stack of an error below its line', () => {
  const line = JSON.stringify({
    level: 'error',
    time: '2026-11-24T16:00:32.763Z',
    msg: 'x',
    err: { stack: 'Error: y\n  at z' },
  })
  expect(textLine(line)).toBe('16:00:32 error x\n    Error: y\n      at z\n')
})

it('replaces control characters, which could move the cursor of a terminal', () => {
  expect(textLine('{"level":"info","time":"2026-11-24T16:00:32.763Z","msg":"\\u001b[2Jx"}')).toBe(
    '16:00:32 info  ?[2Jx\n',
  )
})

it('leaves a line that is no JSON as it is', () => expect(textLine('no json\n')).toBe('no json\n'))
