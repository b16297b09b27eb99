/** Fields of a parameter block in a kernel's memory: name, type, offset in bytes. */
export type BlockLayout = readonly (readonly [name: string, type: 'i32' | 'f32' | 'f64', offset: number])[]

interface WithBlock {
  readonly memory: WebAssembly.Memory
  readonly parameterBlock: () => number
}

/** The exports of a kernel. Functions in `layouts` take an object, whose numbers are written to their parameter block before the call. */
export const withBlocks = <Kernel extends object>(
  exports: WebAssembly.Exports,
  layouts: Readonly<Record<string, BlockLayout>>,
): Kernel => {
  const { memory, parameterBlock } = exports as unknown as WithBlock
  const block = parameterBlock() >>> 0
  let view = new DataView(memory.buffer)
  const write = (layout: BlockLayout, given: Readonly<Record<string, number>>): void => {
    // Growing the memory replaces its buffer.
    if (view.buffer !== memory.buffer) view = new DataView(memory.buffer)
    for (const [name, type, offset] of layout) {
      const value = given[name]!
      if (type === 'i32') view.setInt32(block + offset, value, true)
      else if (type === 'f32') view.setFloat32(block + offset, value, true)
      else view.setFloat64(block + offset, value, true)
    }
  }
  const wrapped = Object.entries(layouts).map(([name, layout]) => {
    const call = exports[name] as (block: number) => unknown
    const withObject = (given: Readonly<Record<string, number>>): unknown => {
      write(layout, given)
      return call(block)
    }
    return [name, withObject] as const
  })
  return { ...exports, ...Object.fromEntries(wrapped) } as Kernel
}
