/** Measurements of the tests of several nodes, printed as a table at their end. */
const rows: (readonly [what: string, found: string])[] = []

/** Adds a row. */
export const note = (what: string, found: string): void => void rows.push([what, found])

/** The table as text, for the terminal and for documents. */
const tableText = (): string => {
  const width = Math.max(...rows.map(([what]) => what.length))
  return rows.map(([what, found]) => `${what.padEnd(width)}  ${found}`).join('\n')
}

/** Prints the table past the test runner, which would fold it away. */
export const printTable = (): void => void process.stderr.write(`\n${tableText()}\n\n`)
