// Orders in which coefficients are coded (ISO/IEC 18181-1, annex I): those that are seldom zero first, so that runs of zeros lie behind the last one.

import type { BitWriter } from '../bits/bit-writer.ts'
import { bitsFrom, formOf, writeU32 } from '../bits/fields.ts'
import { type QuantisedComponent, transposed, UNZIGZAG, ZIGZAG } from '../coefficients.ts'
import { codeFor, writeCode, writeTokens } from '../entropy/entropy-code.ts'
import { Tokens } from '../entropy/tokens.ts'
import { JXL } from '../format-numbers.ts'
import { type JxlKernel, place } from '../kernel.ts'

/** By place in the coding order: the place in JPEG's zigzag order. The first is the LF coefficient. */
export type CoefficientOrder = Uint8Array

/** The order that needs no description: zigzag, in transposed blocks. */
const NATURAL: CoefficientOrder = Uint8Array.from(ZIGZAG, (raster) => UNZIGZAG[transposed(raster)]!)

/** The order of a component whose coefficients lie at `address`: by how often each is not zero. */
export const orderOf = (
  kernel: JxlKernel,
  component: QuantisedComponent | undefined,
  address = 0,
): CoefficientOrder => {
  if (component === undefined) return NATURAL
  const at = place(kernel, new Uint32Array(64))
  kernel.countCoefficients(address, component.coefficients.length / 64, at)
  const counts = new Uint32Array(kernel.memory.buffer, at, 64).slice()
  counts[0] = 2 ** 32 - 1
  return NATURAL.toSorted((a, b) => counts[b]! - counts[a]!)
}

const contextAfter = (value: number): number =>
  value === 0 ? 0 : Math.min(JXL.permutationContexts - 1, 32 - Math.clz32(value))

/** How many places that are still free lie before each place in turn (Lehmer code). */
const lehmerCode = (order: CoefficientOrder): number[] => {
  const free = [...NATURAL]
  return Array.from(order, (k) => {
    const place = free.indexOf(k)
    free.splice(place, 1)
    return place
  })
}

const pushOrder = (tokens: Tokens, order: CoefficientOrder): void => {
  const code = lehmerCode(order)
  const end = Math.max(1, code.findLastIndex((place) => place > 0) + 1)
  tokens.push(contextAfter(64), end - 1)
  for (let i = 1; i < end; i++) tokens.push(contextAfter(i === 1 ? 0 : code[i - 1]!), code[i]!)
}

/** Writes the orders of Cb, Y and Cr. */
export const writeOrders = (writer: BitWriter, orders: readonly CoefficientOrder[]): void => {
  const isNatural = orders.every((order) => order.every((k, i) => k === NATURAL[i]))
  writeU32(writer, isNatural ? 0 : 1, [formOf(0x5f), formOf(0x13), formOf(0), bitsFrom(13, 0)])
  if (isNatural) return
  const tokens = new Tokens()
  for (const order of orders) pushOrder(tokens, order)
  const code = codeFor([tokens], JXL.permutationContexts)
  writeCode(writer, code)
  writeTokens(writer, code, tokens)
}
