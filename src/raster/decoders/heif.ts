import { readFile } from 'node:fs/promises'
import type { StoredColours, StoredImage } from '../colour/stored.ts'
import { type ForeignDecoder, type ForeignSource, loadPackage, requirePixels } from './decoder.ts'

/** The used part of libheif's C interface (libheif/heif.h), as exported by its WASM build. Errors are returned through the first pointer. */
interface LibHeif {
  readonly HEAPU8: Uint8Array
  readonly HEAP32: Int32Array
  readonly HEAPU32: Uint32Array
  readonly _malloc: (bytes: number) => number
  readonly _heif_context_alloc: () => number
  readonly _heif_context_set_maximum_image_size_limit: (context: number, side: number) => void
  readonly _heif_context_read_from_memory: (error: number, context: number, at: number, size: number, none: 0) => void
  readonly _heif_context_get_primary_image_handle: (error: number, context: number, handle: number) => void
  readonly _heif_image_handle_get_width: (handle: number) => number
  readonly _heif_image_handle_get_height: (handle: number) => number
  readonly _heif_image_handle_has_alpha_channel: (handle: number) => number
  readonly _heif_image_handle_is_premultiplied_alpha: (handle: number) => number
  readonly _heif_image_handle_get_luma_bits_per_pixel: (handle: number) => number
  readonly _heif_image_handle_get_raw_color_profile_size: (handle: number) => number
  readonly _heif_image_handle_get_raw_color_profile: (error: number, handle: number, at: number) => void
  readonly _heif_decode_image: (
    error: number,
    handle: number,
    image: number,
    colourSpace: number,
    chroma: number,
    options: 0,
  ) => void
  readonly _heif_image_get_width: (image: number, channel: number) => number
  readonly _heif_image_get_height: (image: number, channel: number) => number
  readonly _heif_image_get_bits_per_pixel_range: (image: number, channel: number) => number
  readonly _heif_image_get_plane_readonly: (image: number, channel: number, stride: number) => number
}

/** Numbers of libheif's interface: heif_colorspace_RGB and heif_channel_interleaved. */
const HEIF = { rgb: 1, interleaved: 10 } as const
/** heif_chroma_interleaved by channels and bits. */
const INTERLEAVED = { 3: { 8: 10, 16: 14 }, 4: { 8: 11, 16: 15 } } as const

type Create = () => Promise<LibHeif>

/** Opens an instance for one image, so that no state of one image affects the next, and its memory is freed. */
const openLibrary = async (): Promise<LibHeif> => {
  const { default: create } = await loadPackage(
    { what: 'A HEIC source', name: 'libheif-js' },
    () => import('libheif-js/libheif-wasm/libheif.js') as Promise<unknown> as Promise<{ readonly default: Create }>,
  )
  return create()
}

/** Helpers for calls that return errors and results through pointers. */
const openCalls = (heif: LibHeif) => {
  const error = heif._malloc(16)
  const result = heif._malloc(8)
  const checked = (call: (error: number) => void): void => {
    call(error)
    const code = heif.HEAP32[error / 4]!
    if (code !== 0) throw new Error(`libheif: error ${code}.${heif.HEAP32[error / 4 + 1]}`)
  }
  return {
    checked,
    /** The pointer that a call writes to its result address. */
    pointer: (call: (error: number, result: number) => void): number => {
      checked((at) => call(at, result))
      return heif.HEAPU32[result / 4]!
    },
    result,
  }
}

type Calls = ReturnType<typeof openCalls>

const openPrimary = (
  heif: LibHeif,
  { checked, pointer }: Calls,
  file: Uint8Array,
  { limits }: ForeignSource,
): number => {
  const context = heif._heif_context_alloc()
  heif._heif_context_set_maximum_image_size_limit(context, Math.ceil(Math.sqrt(limits.maxPixels)))
  const at = heif._malloc(file.length)
  heif.HEAPU8.set(file, at)
  checked((error) => heif._heif_context_read_from_memory(error, context, at, file.length, 0))
  return pointer((error, result) => heif._heif_context_get_primary_image_handle(error, context, result))
}

const coloursOf = (heif: LibHeif, { checked }: Calls, handle: number, { facts }: ForeignSource): StoredColours => {
  if (facts.codePoints !== undefined) return { kind: 'codePoints', codePoints: facts.codePoints }
  const size = heif._heif_image_handle_get_raw_color_profile_size(handle)
  if (facts.profile !== 'other' || size === 0) return { kind: 'srgb' }
  const at = heif._malloc(size)
  checked((error) => heif._heif_image_handle_get_raw_color_profile(error, handle, at))
  return { kind: 'profile', icc: heif.HEAPU8.slice(at, at + size) }
}

/** Copies a plane without row padding. Deep samples (little endian, `bits` of 16) are scaled to full range. */
const samplesOf = (heif: LibHeif, { at, stride, row, height, bits }: Plane): Uint8Array | Uint16Array => {
  if (bits === 8) {
    const samples = new Uint8Array(row * height)
    for (let y = 0; y < height; y++) samples.set(heif.HEAPU8.subarray(at + y * stride, at + y * stride + row), y * row)
    return samples
  }
  const samples = new Uint16Array(row * height)
  const most = 2 ** bits - 1
  for (let y = 0; y < height; y++) {
    const line = new Uint16Array(heif.HEAPU8.buffer, at + y * stride, row)
    for (let x = 0; x < row; x++) samples[y * row + x] = Math.round((line[x]! * 65_535) / most)
  }
  return samples
}

interface Plane {
  readonly at: number
  /** Bytes from one row to the next. */
  readonly stride: number
  /** Samples of a row. */
  readonly row: number
  readonly height: number
  readonly bits: number
}

const straighten = (samples: Uint8Array | Uint16Array): void => {
  const most = samples instanceof Uint16Array ? 65_535 : 255
  for (let at = 0; at < samples.length; at += 4) {
    const alpha = samples[at + 3]!
    if (alpha === 0 || alpha === most) continue
    for (let i = at; i < at + 3; i++) samples[i] = Math.min(most, Math.round((samples[i]! * most) / alpha))
  }
}

/** HEIC: the primary image, with all tiles of a grid, rotated and mirrored as stored. Uses libheif-js (libheif with libde265 as WASM). */
export const decodeHeif: ForeignDecoder = async (source): Promise<StoredImage> => {
  const [heif, file] = await Promise.all([openLibrary(), readFile(source.path)])
  const calls = openCalls(heif)
  const handle = openPrimary(heif, calls, file, source)
  requirePixels(heif._heif_image_handle_get_width(handle), heif._heif_image_handle_get_height(handle), source)
  const channels = heif._heif_image_handle_has_alpha_channel(handle) === 0 ? 3 : 4
  const chroma = INTERLEAVED[channels][heif._heif_image_handle_get_luma_bits_per_pixel(handle) > 8 ? 16 : 8]
  const image = calls.pointer((error, result) => heif._heif_decode_image(error, handle, result, HEIF.rgb, chroma, 0))
  const [width, height] = [
    heif._heif_image_get_width(image, HEIF.interleaved),
    heif._heif_image_get_height(image, HEIF.interleaved),
  ]
  requirePixels(width, height, source)
  const at = heif._heif_image_get_plane_readonly(image, HEIF.interleaved, calls.result)
  const stride = heif.HEAP32[calls.result / 4]!
  const bits = heif._heif_image_get_bits_per_pixel_range(image, HEIF.interleaved)
  const data = samplesOf(heif, { at, stride, row: width * channels, height, bits })
  if (channels === 4 && heif._heif_image_handle_is_premultiplied_alpha(handle) !== 0) straighten(data)
  return { width, height, channels, data, colours: coloursOf(heif, calls, handle, source) }
}
