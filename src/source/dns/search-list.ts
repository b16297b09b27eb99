import { readFile } from 'node:fs/promises'

/** Rules for completing names: `search` and `options ndots:` of resolv.conf(5). */
export interface SearchList {
  readonly domains: readonly string[]
  /** A name with at least this number of dots is first looked up without a domain. */
  readonly dots: number
}

/** Parses the search list of a resolv.conf. The last `search` or `domain` line counts. */
const parseSearchList = (text: string): SearchList => {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/))
  const domains = lines.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? []
  const option = lines.filter(([key]) => key === 'options').flatMap((words) => words.slice(1))
  const dots = Number(option.findLast((word) => word.startsWith('ndots:'))?.slice(6) ?? 1)
  return {
    domains: domains.filter((domain) => domain !== '.'),
    dots: Number.isInteger(dots) && dots >= 0 ? Math.min(dots, 15) : 1,
  }
}

/** Returns the complete names to look up for a name, in the order of their queries. */
export const candidatesFor = (name: string, { domains, dots }: SearchList): readonly string[] => {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const completed = domains.map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  return name.split('.').length > dots ? [name, ...completed] : [...completed, name]
}

/** The search list of this machine. Empty without a resolv.conf. */
export const readSearchList = async (path = '/etc/resolv.conf'): Promise<SearchList> =>
  parseSearchList(await readFile(path, 'utf8').catch(() => ''))
