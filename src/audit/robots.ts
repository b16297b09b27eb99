/** Rules of robots.txt (RFC 9309), read in time linear in the length of the file. */

export interface Robots {
  readonly allows: (url: string) => boolean
  /** Seconds between two requests that the site requires, or 0. */
  readonly pauseSeconds: number
}

/** A pattern of paths: text that begins the path, and texts that follow in this order. */
interface Rule {
  readonly isAllowing: boolean
  /** Characters of the pattern: the longest pattern that matches counts. */
  readonly length: number
  readonly start: string
  readonly pieces: readonly string[]
  /** Whether nothing may follow. */
  readonly isAnchored: boolean
}

/** Requirements of all groups of one program. */
interface Group {
  readonly rules: Rule[]
  pauseSeconds: number
  /** Whether it has a line: one that has none does not count. */
  isUsed: boolean
}

const emptyGroup = (): Group => ({ rules: [], pauseSeconds: 0, isUsed: false })

/** Maximum bytes that are read. RFC 9309, section 2.5, requires at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512_000

const withUpperCaseCodes = (path: string): string => path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase())

/** A pattern with its characters encoded as those of addresses are. */
const encoded = (pattern: string): string =>
  withUpperCaseCodes(encodeURI(pattern.toWellFormed()).replaceAll('%25', '%'))

const readRule = (value: string, isAllowing: boolean): Rule => {
  const pattern = encoded(value)
  const isAnchored = pattern.endsWith('$')
  const [start = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  return { isAllowing, length: pattern.length, start, pieces, isAnchored }
}

const matches = ({ start, pieces, isAnchored }: Rule, path: string): boolean => {
  if (!path.startsWith(start)) return false
  // The first occurrence leaves most to the pieces that follow.
  let at = start.length
  for (const piece of pieces) {
    const found = path.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  const last = pieces.at(-1)
  return !isAnchored || at === path.length || (last !== undefined && path.endsWith(last))
}

/** Of rules of the same length, one that allows counts. */
const outranks = (rule: Rule, other: Rule | undefined): boolean =>
  other === undefined || rule.length > other.length || (rule.length === other.length && rule.isAllowing)

/** Name and value of a line, without its comment. undefined where it has no name. */
const readLine = (line: string): readonly [name: string, value: string] | undefined => {
  const [text = ''] = line.split('#', 1)
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(0, colon)).trim().toLowerCase()
  return name === '' ? undefined : [name, text.slice(colon + 1).trim()]
}

/** Programs are named without their version. */
const readName = (value: string): string => (value.split('/', 1)[0] ?? '').trim().toLowerCase()

const addTo = (group: Group, name: string, value: string): void => {
  if (name === 'allow' || name === 'disallow') {
    if (value !== '') group.rules.push(readRule(value, name === 'allow'))
  } else if (name !== 'crawl-delay') return
  else if (!Number.isNaN(Number(value))) group.pauseSeconds = Number(value)
  group.isUsed = true
}

/** Reads the lines of programs that have a group in `groups`. Several names in a row begin one group of all of them. */
const readGroups = (text: string, groups: ReadonlyMap<string, Group>): void => {
  const open = new Set<Group>()
  let isNaming = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [name, value] = readLine(line) ?? []
    if (name === undefined || value === undefined) continue
    if (name !== 'user-agent') for (const group of open) addTo(group, name, value)
    else {
      if (!isNaming) open.clear()
      const group = groups.get(readName(value))
      if (group !== undefined) open.add(group)
    }
    isNaming = name === 'user-agent'
  }
}

/** Parses the text of a robots.txt. `agent`: our name in its rules. Without rules of its own, it has those of all programs. */
export const readRobots = (text: string, agent: string): Robots => {
  const [own, all] = [emptyGroup(), emptyGroup()]
  const groups = new Map([
    ['*', all],
    [agent.toLowerCase(), own],
  ])
  readGroups(text.slice(0, MAX_ROBOTS_BYTES), groups)
  const { rules, pauseSeconds } = own.isUsed ? own : all
  return {
    allows: (address) => {
      const { pathname, search } = new URL(address)
      const path = withUpperCaseCodes(pathname + search)
      let best: Rule | undefined
      for (const rule of rules) if (outranks(rule, best) && matches(rule, path)) best = rule
      return best?.isAllowing ?? true
    },
    pauseSeconds,
  }
}
