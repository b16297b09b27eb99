import { OPTIONS_TABLE } from '../options/table.ts'
import { AUDIT_FLAGS } from './audit.ts'
import { CLI_COMMANDS } from './commands.ts'
import { COMPARE_FLAGS } from './compare.ts'
import { MCP_FLAGS } from './mcp.ts'
import { OPTIMISE_FLAGS } from './optimise/flags.ts'
import type { Terminal } from './optimise/reporter.ts'

interface Flag {
  readonly value?: string
  readonly help: string
}

const FLAGS: Readonly<Record<string, Readonly<Record<string, Flag>>>> = {
  optimise: OPTIMISE_FLAGS,
  compare: COMPARE_FLAGS,
  audit: AUDIT_FLAGS,
  mcp: MCP_FLAGS,
}

/** Values of a flag that can be listed, as in `text|json`. */
const valuesOf = ({ value }: Flag): readonly string[] => (value?.includes('|') === true ? value.split('|') : [])

const quoted = (text: string): string => text.replaceAll("'", `'\\''`)

const bash = (): string => {
  const cases = Object.entries(FLAGS).map(
    ([command, flags]) =>
      `    ${command}) words='${Object.keys(flags)
        .map((name) => `--${name}`)
        .join(' ')}' ;;`,
  )
  const values = Object.values(FLAGS)
    .flatMap((flags) => Object.entries(flags))
    .filter(([, flag]) => valuesOf(flag).length > 0)
    .map(
      ([name, flag]) =>
        `    --${name}) COMPREPLY=($(compgen -W '${valuesOf(flag).join(' ')}' -- "$current")); return ;;`,
    )
  return `# bash completion of whittle: source <(whittle completion bash)
_whittle() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${Object.keys(CLI_COMMANDS).join(' ')} --help --version' -- "$current"))
    return
  fi
  case "$previous" in
${[...new Set(values)].join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    completion) words='bash zsh fish' ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) if [ "\${COMP_WORDS[1]}" = completion ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}
complete -o filenames -F _whittle whittle
`
}

const zsh = (): string => `#compdef whittle
# zsh completion of whittle: whittle completion zsh > "\${fpath[1]}/_whittle"
_whittle() {
  if (( CURRENT == 2 )); then
    local -a commands=(${Object.entries(CLI_COMMANDS)
      .map(([name, help]) => `'${quoted(`${name}:${help}`)}'`)
      .join(' ')})
    _describe command commands
    return
  fi
  case "$words[2]" in
${Object.entries(FLAGS)
  .map(
    ([command, flags]) =>
      `    ${command}) _arguments ${Object.entries(flags)
        .map(([name, flag]) => {
          const value =
            flag.value === undefined
              ? ''
              : `:${name}:${valuesOf(flag).length > 0 ? `(${valuesOf(flag).join(' ')})` : '_files'}`
          return `'${quoted(`--${name}[${flag.help.replaceAll(/[[\]]/g, '')}]${value}`)}'`
        })
        .join(' ')} '*:file:_files' ;;`,
  )
  .join('\n')}
    completion) _values shell bash zsh fish ;;
    *) _files ;;
  esac
}
_whittle "$@"
`

const fish = (): string =>
  [
    '# fish completion of whittle: whittle completion fish > ~/.config/fish/completions/whittle.fish',
    ...Object.entries(CLI_COMMANDS).map(
      ([name, help]) => `complete -c whittle -n __fish_use_subcommand -f -a ${name} -d '${quoted(help)}'`,
    ),
    ...Object.entries(FLAGS).flatMap(([command, flags]) =>
      Object.entries(flags).map(([name, flag]) => {
        const values = valuesOf(flag)
        const takes = flag.value === undefined ? '' : values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r'
        return `complete -c whittle -n '__fish_seen_subcommand_from ${command}' -l ${name}${takes} -d '${quoted(flag.help)}'`
      }),
    ),
    `complete -c whittle -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'`,
    '',
  ].join('\n')

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish }

/** The command `whittle completion <shell>`. */
export const completionCommand = (argv: readonly string[], { stdout, stderr }: Terminal): number => {
  const write = SHELLS[argv[0] ?? '']
  if (write === undefined || argv.length > 1) {
    stderr.write('Usage: whittle completion bash|zsh|fish\n')
    return 2
  }
  stdout.write(write())
  return 0
}

/** Escapes a text for a manual page: hyphens, and dots at the start of a line. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')

/** The manual page, in man(7) macros. */
export const manualPage = (version: string): string => {
  const flags = (all: Readonly<Record<string, Flag>>): string =>
    Object.entries(all)
      .map(
        ([name, { value, help }]) =>
          `.TP\n.B ${roff(`--${name}`)}${value === undefined ? '' : ` ${roff(value)}`}\n${roff(help)}`,
      )
      .join('\n')
  return `.TH WHITTLE 1 "" "whittle ${version}" "User Commands"
.SH NAME
whittle \\- make images as small as they can be at a guaranteed perceived quality
.SH SYNOPSIS
.B whittle
.I command
[...]
.SH COMMANDS
${Object.entries(CLI_COMMANDS)
  .map(([name, help]) => `.TP\n.B ${name}\n${roff(help)}`)
  .join('\n')}
.SH FLAGS OF OPTIMISE
${flags(OPTIMISE_FLAGS)}
.SH FLAGS OF COMPARE
${flags(COMPARE_FLAGS)}
.SH OPTIONS OF IMAGES
${OPTIONS_TABLE.map(({ name, help }) => `.TP\n.B ${roff(name)}\n${roff(help.replaceAll('`', ''))}`).join('\n')}
.SH EXIT STATUS
0 fine; 1 something failed, or could be smaller; 2 wrong usage; 130 stopped.
`
}
