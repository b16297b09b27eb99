import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import init, { optimise } from '@jsquash/oxipng/codec/pkg/squoosh_oxipng.js'

let loaded: Promise<unknown> | undefined
const load = (): Promise<unknown> => {
  const path = createRequire(import.meta.url).resolve('@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm')
  loaded ??= readFile(path).then((wasm) => init(wasm))
  return loaded
}

/**
 * Re-stores a PNG without loss through oxipng; ancillary chunks are dropped, colour types and bit depths reduced.
 * `level` 0..6; `changeInvisible` lets colour under full transparency change. Throws on a damaged PNG.
 */
export const oxipng = async (png: Uint8Array, level: number, changeInvisible: boolean): Promise<Uint8Array> => {
  await load()
  return optimise(png, level, false, changeInvisible)
}
