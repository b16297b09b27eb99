import { readFile } from 'node:fs/promises'
import { readPngChunks } from '../../containers/png.ts'
import { type ForeignDecoder, loadPackage, requirePixels, type StandIn } from './decoder.ts'

type Oxide = typeof import('jxl-oxide-wasm')

/** Loads an instance. The number makes its address unique, since modules are cached by address. */
const load = (instance: number): Promise<Oxide> =>
  loadPackage({ what: 'A JPEG XL source', name: 'jxl-oxide-wasm' }, async () => {
    const oxide = (await import(`${import.meta.resolve('jxl-oxide-wasm')}?${instance}`)) as Oxide
    oxide.initSync({ module: await readFile(new URL(import.meta.resolve('jxl-oxide-wasm/module.wasm'))) })
    return oxide
  })

let instances = 0
let loading: Promise<Oxide> | undefined

/** Runs `use` on the instance. After an error the next call gets a new instance, since a trap leaves an unknown state. */
const withInstance = async <Result>(use: (oxide: Oxide) => Result): Promise<Result> => {
  loading ??= load(instances++)
  try {
    return use(await loading)
  } catch (error) {
    loading = undefined
    throw error
  }
}

/** Code points of a PNG's cICP chunk, which has precedence over its profile. Nothing for sRGB. */
const codePointsOf = (png: Uint8Array): Pick<StandIn, 'codePoints'> => {
  const [primaries, transfer] = [...readPngChunks(png)].find(({ type }) => type === 'cICP')?.data ?? []
  if (primaries === undefined || transfer === undefined || (primaries === 1 && transfer === 13)) return {}
  return { codePoints: { primaries, transfer } }
}

const ANIMATED = 'The source is animated; only its first frame is used.'

/** JPEG XL: the first frame, upright, as a PNG with a profile or code points. Uses jxl-oxide as WASM. */
export const decodeJxl: ForeignDecoder = async (source) => {
  const bytes = await readFile(source.path)
  return withInstance(({ JxlImage }) => {
    const image = new JxlImage()
    image.feedBytes(bytes)
    if (!image.tryInit()) throw new Error('JPEG XL: the header is cut off')
    requirePixels(image.width ?? 0, image.height ?? 0, source)
    const truncated = !image.loaded
    const animated = image.animated === true
    const file = Buffer.from(image.render().encodeToPng())
    image.free()
    return { file, truncated, ...(animated ? { warning: ANIMATED } : {}), ...codePointsOf(file) }
  })
}
