/** What a reader has to read twice, as patterns. Each has a plain form, which the report prints. */

export interface Rule {
  readonly name: string
  readonly pattern: RegExp
  /** What to write instead. */
  readonly plainForm: string
}

/** Idioms in comments, test titles and documents. Every pattern is global and ignores case unless case is the point. */
export const IDIOMS: readonly Rule[] = [
  {
    name: 'so many',
    pattern: /\b(?:by )?so (?:many|much|few|little)\b(?! that\b)/gi,
    plainForm: 'name the number: "`count` pixels", "a factor of 1.3"',
  },
  {
    name: 'what is told',
    pattern:
      /\bwhat (?:is|was|are|were|has been|had been|may be|must be) (?:told|made|wanted|found|asked|known|said|kept|shown|left|given|needed|tried|learnt|looked)\b/gi,
    plainForm: 'name the thing: "the report", "the result", "the target"',
  },
  {
    name: 'tell',
    pattern: /\b(?:tells?|telling|told|hears?|heard)\b/gi,
    plainForm: 'return, report, log, emit, receive',
  },
  {
    name: 'whoever',
    pattern: /\b(?:whoever|nobody|somebody)\b|(?<=[.;:] )Who\b|^Who (?!are\b|is\b)/g,
    plainForm: 'the client, the caller, the account, no client',
  },
  { name: 'of which', pattern: /(?:^|[.,;:] )(?:of|by|to) (?:which|whom)\b/gi, plainForm: 'two sentences' },
  { name: 'anew', pattern: /\banew\b/gi, plainForm: 'again' },
  { name: 'in vain', pattern: /\bin vain\b/gi, plainForm: 'without effect' },
  { name: 'beside', pattern: /\bbeside\b/gi, plainForm: 'next to' },
  { name: 'bears', pattern: /\bbears\b/gi, plainForm: 'allows' },
  { name: 'comes to', pattern: /\b(?:comes?|came) to (?!an end\b)/gi, plainForm: 'equals, reaches' },
  { name: 'to be had', pattern: /\bto be had\b/gi, plainForm: 'available' },
  { name: 'by and by', pattern: /\bby and by\b/gi, plainForm: 'soon' },
]

/** Names of constants that have a shorter, usual form. */
export const NAMES: readonly Rule[] = [
  { name: 'MOST_', pattern: /\bMOST_[A-Z0-9_]+\b/g, plainForm: 'MAX_' },
  { name: 'LEAST_', pattern: /\bLEAST_[A-Z0-9_]+\b/g, plainForm: 'MIN_' },
]

/** Words that no sentence begins with: a test title that does is a fragment, which a failure report prints without its subject. */
const OPENERS = new Set(
  `is are was were has have had does do did may might can cannot could will would must should needs need
  in of with without not nor and or but as at by for from to under over below above after before between into on upon
  where that which who whose whom what whatever whichever however also too only even ever never still too
  keep hold give count stay find go tell make come end leave take lie reach wait stand rise work know use treat
  warn cut cover pack parse print refuse report pass ignore fail ask become begin compare draw start follow`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** Whether a test title lacks its subject or its verb. */
export const isFragment = (title: string): boolean => {
  const words = title.trim().split(/\s+/)
  return words.length < 2 || OPENERS.has(words[0]!.toLowerCase())
}

/** Words of a sentence beyond which it is reported. */
export const MAX_SENTENCE_WORDS = 35
