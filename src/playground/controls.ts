/** A group of switches, and the rows of the options table that it covers. A test checks that every row has a group. */
export interface ControlGroup {
  readonly title: string
  readonly rows: readonly string[]
  /** A short help text. The reference is at /-/options. */
  readonly help: string
}

/** The groups of switches in the order of the page. */
export const CONTROL_GROUPS = {
  size: {
    title: 'Size',
    rows: ['full', 'size', 'width only'],
    help: 'The largest width and height in CSS pixels. Leave one empty to keep the proportions.',
  },
  density: {
    title: 'Screen density',
    rows: ['density'],
    help: 'Pixels for dense screens: 2x doubles both sides, and each pixel needs fewer bytes.',
  },
  method: {
    title: 'Into that size',
    rows: ['scale-down', 'fit', 'crop', 'crop=auto', 'crop=<edge>', 'crop=<x>x<y>', 'pad'],
    help: 'What happens when the proportions of the image and of the size differ.',
  },
  quality: {
    title: 'Quality',
    rows: ['quality=<preset>'],
    help: 'How much the result may differ from the source; medium looks the same at 100 %.',
  },
  format: {
    title: 'Format',
    rows: ['format=<name>'],
    help: 'Automatic picks the smallest format that this browser supports.',
  },
  gamut: {
    title: 'Colours',
    rows: ['gamut=p3'],
    help: 'Keeps colours that only wide-gamut screens show. The file grows by a few bytes.',
  },
  meta: {
    title: 'Metadata',
    rows: ['meta=copyright'],
    help: 'Keeps creator, copyright and licence, in at most 4 KB. Everything else is dropped.',
  },
  preset: {
    title: 'Preset',
    rows: ['preset=<name>'],
    help: 'A named option list of the account. Another switch replaces the name by its options.',
  },
  maxBytes: {
    title: 'Bytes',
    rows: ['max-bytes=<bytes>'],
    help: 'The best quality that fits into this many bytes. If none fits, the image gets smaller. Empty for no limit.',
  },
  trim: { title: 'Trim', rows: ['trim=border'], help: 'Cuts off a border of one colour before anything else.' },
  background: {
    title: 'Background',
    rows: ['bgcolor=<RGB>'],
    help: 'The colour behind transparent images that become JPEG, and around padded ones.',
  },
  timeout: {
    title: 'Timeout',
    rows: ['timeout=<seconds>'],
    help: 'When the time has passed, you get the best result so far.',
  },
} as const satisfies Record<string, ControlGroup>
