import { parseOptions, readSegment } from '../../options/parse.ts'

/** Flags that become options of the list, each as it was given. */
export interface ListFlags {
  readonly size: string | undefined
  readonly crop: string | undefined
  readonly quality: string | undefined
  readonly meta: string | undefined
  readonly 'max-bytes': string | undefined
  readonly options: string | undefined
}

const LIMITS = {
  /** Seconds. A command has no client that waits, so the hour only keeps a mistyped number from being refused. */
  maxTimeout: 3600,
} as const

const cropItem = (crop: string): string => (crop === 'centre' || crop === 'center' ? 'crop' : `crop=${crop}`)

const itemsOf = (flags: ListFlags): readonly string[] => {
  const { size, crop, quality, meta, options } = flags
  return [
    ...(size === undefined ? [] : [size]),
    ...(crop === undefined ? [] : [cropItem(crop)]),
    ...(quality === undefined ? [] : [`quality=${quality}`]),
    ...(meta === undefined ? [] : [`meta=${meta}`]),
    ...(flags['max-bytes'] === undefined ? [] : [`max-bytes=${flags['max-bytes']}`]),
    ...(options === undefined ? [] : [options]),
  ]
}

/** A list as an address would carry it. */
const asSegment = (list: string): string => list.replaceAll('#', '%23')

/** Whether a text is one size and nothing else. */
const isSize = (text: string): boolean => {
  const [read, ...others] = readSegment(asSegment(text), LIMITS)
  return others.length === 0 && read?.kind === 'read' && read.claim.kind === 'size'
}

const setsSize = (list: string): boolean =>
  readSegment(asSegment(list), LIMITS).some(
    (read) => read.kind === 'read' && (read.claim.kind === 'size' || read.claim.kind === 'full'),
  )

/** The option list for the flags of a command. Without a size it begins with `full`. `problem`: a sentence about a list that is refused. */
export const optionListFrom = (flags: ListFlags): string | { readonly problem: string } => {
  const { size } = flags
  if (size !== undefined && !isSize(size))
    return { problem: `--size ${size} is wrong: expected whole numbers of at least 1, as in 800x600, 800 or x600.` }
  const items = itemsOf(flags)
  const list = (setsSize(items.join(',')) ? items : ['full', ...items]).join(',')
  const read = parseOptions(asSegment(list), LIMITS)
  if (read.kind === 'wrong') return { problem: read.failure.message }
  if (read.options.format !== 'auto') return { problem: 'Give the format with --format.' }
  return list
}
