import { readFile } from 'node:fs/promises'

/** How names that are not complete are completed: resolv.conf(5), `search` and `options ndots:`. */
export interface SearchList {
  readonly domains: readonly string[]
  /** A name with so many dots is tried as it is first. */
  readonly dots: number
}

/** Domains that are tried, as in the C library of old; each is a question more. */
const MOST_DOMAINS = 6

/** Reads what a resolv.conf says of completing names; the last `search` or `domain` counts. */
const parseSearchList = (text: string): SearchList => {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/))
  const domains = lines.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? []
  const option = lines.filter(([key]) => key === 'options').flatMap((words) => words.slice(1))
  const dots = Number(option.findLast((word) => word.startsWith('ndots:'))?.slice(6) ?? 1)
  return {
    domains: domains.filter((domain) => domain !== '.').slice(0, MOST_DOMAINS),
    dots: Number.isInteger(dots) && dots >= 0 ? Math.min(dots, 15) : 1,
  }
}

/** The complete names that a name may stand for, in the order in which they are asked for. */
export const candidatesFor = (name: string, { domains, dots }: SearchList): readonly string[] => {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const completed = domains.map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  return name.split('.').length > dots ? [name, ...completed] : [...completed, name]
}

/** The search list of this machine; an empty one where there is no such file. */
export const readSearchList = async (path = '/etc/resolv.conf'): Promise<SearchList> =>
  parseSearchList(await readFile(path, 'utf8').catch(() => ''))
