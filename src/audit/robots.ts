/** Rules of robots.txt (RFC 9309). */
import * as robotsParser from 'robots-parser'

export interface Robots {
  readonly allows: (url: string) => boolean
  /** Seconds between two requests that the site requires, or 0. */
  readonly pauseSeconds: number
}

interface Parsed {
  isAllowed(url: string, agent: string): boolean | undefined
  getCrawlDelay(agent: string): number | undefined
}

/** The package is CommonJS, and its types describe an ES module. */
const parse = (robotsParser as unknown as { readonly default: (url: string, text: string) => Parsed }).default

/** Maximum bytes that are read. RFC 9309, section 2.5, requires at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512_000

/** Parses the text of a robots.txt. `url`: its address. `agent`: our name in its rules. */
export const readRobots = (url: string, text: string, agent: string): Robots => {
  const parsed = parse(url, text.slice(0, MAX_ROBOTS_BYTES))
  return {
    allows: (address) => parsed.isAllowed(address, agent) !== false,
    pauseSeconds: parsed.getCrawlDelay(agent) ?? 0,
  }
}
