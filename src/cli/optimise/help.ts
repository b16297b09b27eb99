import { OPTIMISE_FLAGS } from './flags.ts'

const flagLine = ([name, flag]: [string, { readonly value?: string; readonly help: string }]): string =>
  `  ${`--${name}${flag.value === undefined ? '' : ` ${flag.value.length > 14 ? 'HOW' : flag.value}`}`.padEnd(22)}${flag.help}`

/** The output of `whittle optimise --help`. */
export const OPTIMISE_HELP = `Usage: whittle optimise <files, folders, globs> (--out DIR | --in-place | --check PERCENT | --dry-run) [flags]

Makes images as small as they can be at a guaranteed perceived quality, on all cores.

${Object.entries(OPTIMISE_FLAGS).map(flagLine).join('\n')}

Exit codes: 0 fine; 1 a file failed, or could be smaller (--check); 2 wrong usage; 130 stopped.

Examples:
  whittle optimise --out small photos
  whittle optimise --in-place --quality high 'public/**/*.png'
  whittle optimise --out web --format jpeg,webp,avif --size 1600 photos
  whittle optimise --check 10 public
`
