/** Rules of robots.txt (RFC 9309). */
import * as robotsParser from 'robots-parser'

export interface Robots {
  readonly allows: (url: string) => boolean
  /** Seconds between two requests that the site asks for; 0 where it asks for none. */
  readonly pauseSeconds: number
}

interface Parsed {
  isAllowed(url: string, agent: string): boolean | undefined
  getCrawlDelay(agent: string): number | undefined
}

/** The package is CommonJS, and its types describe an ES module. */
const parse = (robotsParser as unknown as { readonly default: (url: string, text: string) => Parsed }).default

/** Characters that count (RFC 9309, section 2.5 asks for 500 KiB at least). */
export const MAX_ROBOTS_BYTES = 512_000

/** Reads the text of `url`, which is that of a robots.txt. */
export const readRobots = (url: string, text: string, agent: string): Robots => {
  const parsed = parse(url, text.slice(0, MAX_ROBOTS_BYTES))
  return {
    allows: (address) => parsed.isAllowed(address, agent) !== false,
    pauseSeconds: parsed.getCrawlDelay(agent) ?? 0,
  }
}
