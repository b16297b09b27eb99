import type { VariantLists } from '../build/variants.ts'
import { EDGES, FORMATS, QUALITIES } from '../tables.ts'
import { cropOf, type Variant } from '../variant.ts'

/** Names of the values that an import can return. */
export const SHAPES = ['url', 'srcset', 'img', 'picture', 'meta', 'lqip'] as const
export type Shape = (typeof SHAPES)[number]

/** The directives that follow the `?` of an import. */
export interface Directives {
  readonly variant: Variant
  readonly lists: VariantLists
  readonly shape: Shape
  /** Whether the import also contains a placeholder. */
  readonly placeholder: boolean
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

interface Draft {
  readonly variant: Writable<Variant>
  readonly lists: Writable<VariantLists>
  shape: Shape
  placeholder: boolean
}

interface Directive {
  readonly names: readonly string[]
  /** The accepted values, for error messages. */
  readonly expected: string
  /** Writes the values to the draft. Returns false if they are wrong. Semicolons separate `values`. */
  readonly read: (values: readonly string[], draft: Draft) => boolean
}

const isOf = <Value extends string | number>(list: readonly Value[], value: unknown): value is Value =>
  (list as readonly unknown[]).includes(value)

/** Parses a side in CSS pixels. */
const sideOf = (text: string): number | undefined =>
  /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000 ? Number(text) : undefined

const single =
  (read: (value: string, draft: Draft) => boolean): Directive['read'] =>
  (values, draft) =>
    values.length === 1 && read(values[0] ?? '', draft)

const flag = (name: 'fit' | 'pad' | 'trim'): Directive => ({
  names: [name],
  expected: `${name} alone`,
  read: single((value, { variant }) => {
    variant[name] = true
    return value === '' || value === 'true'
  }),
})

/** Common names of formats that the service calls otherwise. */
const FORMAT_ALIASES: Readonly<Record<string, string>> = { jpg: 'jpeg', mp4: 'h264' }

const DIRECTIVES: readonly Directive[] = [
  { names: ['whittle', 'import', 't', 'v'], expected: '', read: () => true },
  {
    names: ['w', 'width'],
    expected: 'whole CSS pixels from 1 to 10000, several between semicolons',
    read: (values, { lists }) => {
      const widths = values.map(sideOf)
      lists.widths = widths.filter((width) => width !== undefined)
      return lists.widths.length === values.length
    },
  },
  {
    names: ['h', 'height'],
    expected: 'whole CSS pixels from 1 to 10000',
    read: single((value, { variant }) => {
      const height = sideOf(value)
      if (height !== undefined) variant.height = height
      return height !== undefined
    }),
  },
  {
    names: ['density'],
    expected: '1, 2 or 3, several between semicolons',
    read: (values, { lists }) => {
      const densities = values.map((value) => Number(value.replace(/x$/, '')))
      lists.densities = densities.filter((density) => isOf([1, 2, 3] as const, density))
      return lists.densities.length === values.length
    },
  },
  {
    names: ['format'],
    expected: `auto, ${FORMATS.join(', ')}, several between semicolons`,
    read: (values, { lists }) => {
      const formats = values.map((value) => FORMAT_ALIASES[value] ?? value)
      lists.formats = formats.filter((format) => isOf([...FORMATS, 'auto'] as const, format))
      return lists.formats.length === values.length
    },
  },
  {
    names: ['quality', 'q'],
    expected: QUALITIES.join(', '),
    read: single((value, { variant }) => {
      if (isOf(QUALITIES, value)) variant.quality = value
      return isOf(QUALITIES, value)
    }),
  },
  {
    names: ['crop'],
    expected: `auto, ${EDGES.join(', ')} or a point such as 0.5x0.3`,
    read: single((value, { variant }) => {
      const crop = cropOf(value)
      if (crop !== undefined) variant.crop = crop
      return crop !== undefined
    }),
  },
  flag('fit'),
  flag('pad'),
  flag('trim'),
  {
    names: ['background', 'bgcolor'],
    expected: '3 or 6 hex digits without #, or transparent',
    read: single((value, { variant }) => {
      variant.background = value
      return /^([0-9a-f]{3}|[0-9a-f]{6}|transparent)$/i.test(value)
    }),
  },
  {
    names: ['gamut'],
    expected: 'p3 or srgb',
    read: single((value, { variant }) => {
      variant.wideGamut = value === 'p3'
      return isOf(['p3', 'srgb'] as const, value)
    }),
  },
  {
    names: ['meta'],
    expected: 'copyright or none',
    read: single((value, { variant }) => {
      variant.keepCopyright = value === 'copyright'
      return isOf(['copyright', 'none'] as const, value)
    }),
  },
  {
    names: ['max-bytes'],
    expected: 'a number of bytes',
    read: single((value, { variant }) => {
      variant.maxBytes = Number(value)
      return /^[1-9]\d{0,9}$/.test(value)
    }),
  },
  {
    names: ['preset'],
    expected: 'the name of a preset of the account',
    read: single((value, { variant }) => {
      variant.preset = value
      return /^[a-z][\w-]*$/.test(value)
    }),
  },
  {
    names: ['placeholder', 'lqip'],
    expected: 'blur, or nothing',
    read: single((value, draft) => {
      draft.placeholder = true
      return isOf(['', 'true', 'blur'] as const, value)
    }),
  },
  {
    names: ['as'],
    expected: SHAPES.join(', '),
    read: single((value, draft) => {
      const shape = value === 'metadata' ? 'meta' : value
      if (isOf(SHAPES, shape)) draft.shape = shape
      return isOf(SHAPES, shape)
    }),
  },
]

/** The names that error messages list. The first entry has none of them. */
const NAMES = DIRECTIVES.slice(1).map(({ names }) => names[0])

/** Matches imports with the directive `whittle`. */
export const WHITTLE_IMPORT = /[?&]whittle(?:[=&]|$)/

/** Whether an import has the directive `whittle`. */
export const hasWhittle = (id: string): boolean => WHITTLE_IMPORT.test(id)

/** Returns the shared variant. A box gets the first of several widths, which defines its aspect ratio. */
const sharedVariant = ({ variant, lists }: Draft): Variant =>
  variant.height !== undefined && lists.widths?.[0] !== undefined ? { ...variant, width: lists.widths[0] } : variant

/** Parses directives such as `whittle&w=400;800&format=webp`. Fails with an Error that names the wrong directive and the accepted values. */
export const readDirectives = (query: string, defaults: Variant = {}): Directives => {
  const draft: Draft = { variant: { ...defaults }, lists: {}, shape: 'url', placeholder: false }
  for (const [name, text] of new URLSearchParams(query)) {
    const directive = DIRECTIVES.find(({ names }) => names.includes(name))
    if (directive === undefined) throw new Error(`"${name}" is not a directive: expected ${NAMES.join(', ')}.`)
    if (!directive.read(text.split(';'), draft))
      throw new Error(`"${name}=${text}" is wrong: expected ${directive.expected}.`)
  }
  return {
    variant: sharedVariant(draft),
    lists: draft.lists,
    shape: draft.shape,
    placeholder: draft.placeholder || draft.shape === 'lqip',
  }
}
