import { MARK } from './mark/format.ts'

/** Boxes of a still AVIF with only an image. */
const OUTER: ReadonlySet<string> = new Set(['ftyp', 'meta', 'mdat', 'free'])
/** Coded images and grids. `Exif` and `mime` items are metadata. */
const IMAGES: ReadonlySet<string> = new Set(['av01', 'grid'])

interface Box {
  readonly name: string
  readonly content: Buffer
}

/** The boxes in these bytes. The last one has no name when it is no box. */
function* boxesOf(bytes: Buffer): Generator<Box> {
  for (let at = 0; at < bytes.length; ) {
    const size = at + 8 <= bytes.length ? bytes.readUInt32BE(at) : 0
    if (size < 8 || at + size > bytes.length) return yield { name: '', content: bytes.subarray(at) }
    yield { name: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + 8, at + size) }
    at += size
  }
}

/** Types of the items in `iinf` (version 0 with entries of version 2); undefined for other versions. */
const itemTypes = (iinf: Buffer): readonly string[] | undefined => {
  if (iinf.length < 6 || iinf[0] !== 0) return undefined
  const entries = [...boxesOf(iinf.subarray(6))]
  return entries.every(({ name, content }) => name === 'infe' && content[0] === 2)
    ? entries.map(({ content }) => content.toString('latin1', 8, 12))
    : undefined
}

/** Whether an AVIF has one still image, its alpha and no metadata, as our encoders write it. */
export const isBareAvif = (file: Buffer): boolean => {
  const outer = [...boxesOf(file)]
  if (
    !outer.every(({ name, content }) => OUTER.has(name) && (name !== 'free' || content.length + 8 <= MARK.maxFreeBytes))
  )
    return false
  const meta = outer.find(({ name }) => name === 'meta')
  const iinf = meta && [...boxesOf(meta.content.subarray(4))].find(({ name }) => name === 'iinf')
  return iinf !== undefined && itemTypes(iinf.content)?.every((type) => IMAGES.has(type)) === true
}
