import { readFile } from 'node:fs/promises'
import { readPngChunks } from '../../containers/png.ts'
import { type ForeignDecoder, loadPackage, requirePixels, type StandIn } from './decoder.ts'

type Oxide = typeof import('jxl-oxide-wasm')

/** An instance; each number has one of its own, since a module is loaded once for each address. */
const load = (instance: number): Promise<Oxide> =>
  loadPackage({ what: 'A JPEG XL source', name: 'jxl-oxide-wasm' }, async () => {
    const oxide = (await import(`${import.meta.resolve('jxl-oxide-wasm')}?${instance}`)) as Oxide
    oxide.initSync({ module: await readFile(new URL(import.meta.resolve('jxl-oxide-wasm/module.wasm'))) })
    return oxide
  })

let instances = 0
let loading: Promise<Oxide> | undefined

/** What is decoded after a failure gets a fresh instance: nobody knows what a trap has left behind in the old one. */
const withFreshOne = async <Result>(use: (oxide: Oxide) => Result): Promise<Result> => {
  loading ??= load(instances++)
  try {
    return use(await loading)
  } catch (error) {
    loading = undefined
    throw error
  }
}

/** Primaries and transfer of a PNG's cICP chunk, which outranks its profile; nothing where they are sRGB's. */
const codePointsOf = (png: Uint8Array): Pick<StandIn, 'codePoints'> => {
  const [primaries, transfer] = [...readPngChunks(png)].find(({ type }) => type === 'cICP')?.data ?? []
  if (primaries === undefined || transfer === undefined || (primaries === 1 && transfer === 13)) return {}
  return { codePoints: { primaries, transfer } }
}

const ANIMATED = 'The source is animated; only its first frame is used.'

/** JPEG XL: the first frame, upright, as PNG with a profile or code points. jxl-oxide as WASM. */
export const decodeJxl: ForeignDecoder = async (source) => {
  const bytes = await readFile(source.path)
  return withFreshOne(({ JxlImage }) => {
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
