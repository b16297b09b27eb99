import type { Attack } from './attack.ts'
import { BOMBS } from './attacks/bombs.ts'
import { MARKUP } from './attacks/markup.ts'
import { REQUESTS } from './attacks/requests.ts'
import { SSRF } from './attacks/ssrf.ts'
import { XSS } from './attacks/xss.ts'

/** Every class of attack, in the order in which they are mounted. */
export const ATTACKS: readonly Attack[] = [MARKUP, BOMBS, SSRF, REQUESTS, XSS]
