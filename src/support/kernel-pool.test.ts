import { describe, expect, it } from 'vitest'
import { dropIdleKernels, kernelPool } from './kernel-pool.ts'

const kernelOf = (bytes: number) => ({ bytes: () => bytes })

describe('a kernel pool', () => {
  it('a returned kernel is used again', () => {
    const pool = kernelPool(() => kernelOf(10), 100)
    const kernel = pool.take()
    pool.give(kernel)
    expect(pool.take()).toBe(kernel)
    expect(pool.take()).not.toBe(kernel)
  })

  it('kernels above the limit of bytes are dropped', () => {
    const pool = kernelPool(() => kernelOf(1), 100)
    const [small, large] = [kernelOf(30), kernelOf(80)]
    pool.give(small)
    pool.give(large)
    expect(pool.take()).toBe(small)
    expect(pool.take()).not.toBe(large)
  })

  it('are dropped before a step that needs their memory', () => {
    const pool = kernelPool(() => kernelOf(10), 100)
    const kernel = pool.take()
    pool.give(kernel)
    dropIdleKernels()
    expect(pool.take()).not.toBe(kernel)
  })
})
