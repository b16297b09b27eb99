import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Raster } from '../../src/core/image.ts'

/** The used part of @jsquash/jxl, which is no dependency: install it to measure it. */
interface Codec<Work> {
  readonly init: (module: WebAssembly.Module) => Promise<unknown>
  readonly default: Work
}
type Encode = (
  image: { data: Uint8ClampedArray; width: number; height: number },
  options: object,
) => Promise<ArrayBuffer>
type Decode = (file: ArrayBuffer) => Promise<{ data: Uint8ClampedArray; width: number; height: number }>

/** Interface of a browser that the decoder uses. */
class PlainImageData implements Awaited<ReturnType<Decode>> {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data
    this.width = width
    this.height = height
  }
}

const load = async <Work>(part: string, wasm: string): Promise<Work> => {
  Object.assign(globalThis, { ImageData: PlainImageData })
  const codec = (await import(`@jsquash/jxl/${part}.js`)) as Codec<Work>
  const path = fileURLToPath(import.meta.resolve(`@jsquash/jxl/codec/${wasm}.wasm`))
  await codec.init(await WebAssembly.compile(await readFile(path)))
  return codec.default
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
const encoder = once(() => load<Encode>('encode', 'enc/jxl_enc'))
const decoder = once(() => load<Decode>('decode', 'dec/jxl_dec'))

const EFFORT = 7

/** JPEG XL by libjxl as WASM, at its usual effort. */
export const encodeJxl = async ({ width, height, channels, data }: Raster, quality: number): Promise<Uint8Array> => {
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    rgba.set(data.subarray(i * channels, (i + 1) * channels), i * 4)
    if (channels === 3) rgba[i * 4 + 3] = 255
  }
  return new Uint8Array(await (await encoder())({ data: rgba, width, height }, { quality, effort: EFFORT }))
}

/** The decoded pixels: RGB if all are opaque. */
export const decodeJxl = async (file: Uint8Array): Promise<Raster> => {
  const { data, width, height } = await (await decoder())(Uint8Array.from(file).buffer)
  const rgba = new Uint8Array(data)
  if (!rgba.every((level, i) => i % 4 !== 3 || level === 255)) return { width, height, channels: 4, data: rgba }
  return { width, height, channels: 3, data: rgba.filter((_, i) => i % 4 !== 3) }
}
