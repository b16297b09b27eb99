// Named numeric constants: which a source declares, and which of them have no comment that says unit or source.

/** One constant of a source. */
export interface Constant {
  readonly name: string
  readonly line: number
  /** Whether a comment stands directly above it or behind it. */
  readonly isExplained: boolean
}

/** A declaration at module level whose name is in upper case. */
const DECLARATION = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=]+)? = ([^;]*?)(\/\/.*|\/\*.*)?$/

/** Arithmetic of numbers and of other constants. */
const isNumeric = (value: string): boolean =>
  /\d/.test(value) && /^[-+*/%().\s\d_<>|&~a-fxen]*$/i.test(value.replace(/\bMath\.\w+|\b[A-Z][A-Z0-9_]+\b/g, '1'))

const isComment = (line: string | undefined): boolean => /^\s*(?:\/\/|\/\*|\*)/.test(line ?? '')

/** Named numeric constants that a source declares at module level, in order. */
export const constantsIn = (text: string): readonly Constant[] => {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    const [, name, value, comment] = DECLARATION.exec(line) ?? []
    if (name === undefined || !isNumeric(value!)) return []
    return [{ name, line: i + 1, isExplained: comment !== undefined || isComment(lines[i - 1]) }]
  })
}
