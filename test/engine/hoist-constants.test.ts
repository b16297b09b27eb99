import binaryen from 'assemblyscript/binaryen'
import { describe, expect, it } from 'vitest'
import { hoistConstants } from '../../scripts/hoist-constants.ts'

/** Adds 0.5 to two vectors of memory; the second loop calls something. */
const SOURCE = `(module
  (memory $m 1)
  (data (i32.const 16) "\\00\\00\\00\\3f \\"(")
  (export "memory" (memory $m))
  (export "run" (func $run))
  (func $nothing (call $run (i32.const 64) (i32.const 0)))
  (func $run (param $at i32) (param $end i32)
    (if (i32.lt_u (local.get $at) (local.get $end))
      (then
        (loop $again
          (v128.store (local.get $at)
            (f32x4.add (v128.load (local.get $at)) (v128.load32_splat (i32.const 16))))
          (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
        (loop $calling
          (call $nothing)
          (drop (v128.load32_splat (i32.const 16)))
          (br_if $calling (i32.const 0)))))))`

const textOf = (source: string): string => {
  const module = binaryen.parseText(source)
  module.setFeatures(binaryen.Features.All)
  expect(module.validate()).toBe(1)
  const text = module.emitText()
  module.dispose()
  return text
}

const run = async (text: string): Promise<number[]> => {
  const module = binaryen.parseText(text)
  module.setFeatures(binaryen.Features.All)
  const { instance } = await WebAssembly.instantiate(module.emitBinary() as Uint8Array<ArrayBuffer>)
  module.dispose()
  const { memory, run } = instance.exports as unknown as {
    memory: WebAssembly.Memory
    run(at: number, end: number): void
  }
  const floats = new Float32Array(memory.buffer, 64, 8)
  floats.set([0, 1, 2, 3, 4, 5, 6, 7])
  run(64, 96)
  return [...floats]
}

describe('hoistConstants', () => {
  const before = textOf(SOURCE)
  const after = textOf(hoistConstants(before))

  it('moves reads of constants before innermost loops without calls', () => {
    const parts = (text: string): (number | undefined)[] =>
      text.split('(loop').map((part) => part.match(/load32_splat/g)?.length)
    expect(parts(before)).toEqual([undefined, 1, 1])
    expect(parts(after)).toEqual([1, undefined, 1])
  })

  it('leaves the sums unchanged', async () => {
    const sums = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]
    expect(await run(before)).toEqual(sums)
    expect(await run(after)).toEqual(sums)
  })
})
