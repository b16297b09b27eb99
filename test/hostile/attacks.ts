import type { Attack } from './attack.ts'
import { ABORTS } from './attacks/aborts.ts'
import { BOMBS } from './attacks/bombs.ts'
import { CLOCKS } from './attacks/clocks.ts'
import { CONNECTIONS } from './attacks/connections.ts'
import { DRAWINGS } from './attacks/drawings.ts'
import { EXHAUSTION } from './attacks/exhaustion.ts'
import { EXPLOIT } from './attacks/exploit.ts'
import { FAIRNESS } from './attacks/fairness.ts'
import { KILLS } from './attacks/kills.ts'
import { LEAVERS } from './attacks/leavers.ts'
import { LIMITS } from './attacks/limits.ts'
import { MARKUP } from './attacks/markup.ts'
import { REQUESTS } from './attacks/requests.ts'
import { RESOLVER } from './attacks/resolver.ts'
import { SLOW } from './attacks/slow.ts'
import { SSRF } from './attacks/ssrf.ts'
import { XSS } from './attacks/xss.ts'

/** Every class of attack, in the order in which they are mounted. */
export const ATTACKS: readonly Attack[] = [
  ...[MARKUP, DRAWINGS, BOMBS, EXPLOIT, LIMITS, SSRF, RESOLVER, REQUESTS, XSS],
  ...[FAIRNESS, ABORTS, LEAVERS, SLOW, CONNECTIONS, KILLS, EXHAUSTION, CLOCKS],
]
