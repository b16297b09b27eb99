import { expect, it } from 'vitest'
import { withBlocks } from './kernel-blocks.ts'

interface Sum {
  add(given: { readonly a: number; readonly b: number; readonly c: number }): number
}

/** A kernel in JavaScript, whose block begins at byte 16. */
const openSum = () => {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const add = (at: number): number => {
    const view = new DataView(memory.buffer)
    return view.getUint32(at, true) + view.getFloat32(at + 4, true) + view.getFloat64(at + 8, true)
  }
  const exports = { memory, parameterBlock: () => 16, add } as unknown as WebAssembly.Exports
  const layout = [
    ['a', 'i32', 0],
    ['b', 'f32', 4],
    ['c', 'f64', 8],
  ] as const
  return { memory, kernel: withBlocks<Sum>(exports, { add: layout }) }
}

it('writes numbers of each type where the kernel reads them, addresses above 2 GB included', () => {
  expect(openSum().kernel.add({ a: 3e9, b: 0.5, c: 0.1 })).toBe(3e9 + 0.5 + 0.1)
})

it('writes into memory that has grown since the kernel was opened', () => {
  const { memory, kernel } = openSum()
  memory.grow(1)
  expect(kernel.add({ a: 1, b: 2, c: 3 })).toBe(6)
})
