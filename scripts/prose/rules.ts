/** Patterns of prose that a reader has to read twice, each with its plain form. */

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
  { name: 'What …', pattern: /^What (?!for\b)(?![^.]*\?)/g, plainForm: 'name the thing: "Result of …", "Limits of …"' },
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

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** Words that begin neither a sentence nor its predicate. */
const NO_OPENERS = words(`
  in of with without not nor and or but as at by for from to under over below above after before between into on upon
  where that which who whose whom what whatever whichever however`)

/** Verbs that need the subject which the title of a `describe` gives: the report prints "the quota > is refused at its limit". */
const VERBS = words(`
  is are was were has have had does do did may might can cannot could will would must should needs need also too only even ever never still
  keep hold give count stay find go make come end leave take lie reach wait stand rise work know use treat
  warn cut cover pack parse print refuse report pass ignore fail ask become begin compare draw start follow`)

/**
 * Whether a test title is no sentence in a report of failures. A title that begins with a verb of VERBS is one only with a `subject`, the title
 * of the `describe` around it. Other verbs stand alone: `returns 415 for a text file`.
 */
export const isFragment = (title: string, subject?: string): boolean => {
  const [first = '', ...rest] = title.trim().split(/\s+/)
  const opener = first.toLowerCase()
  return rest.length === 0 || NO_OPENERS.has(opener) || (VERBS.has(opener) && !subject)
}

/** Words of a sentence beyond which it is reported. */
export const MAX_SENTENCE_WORDS = 35
