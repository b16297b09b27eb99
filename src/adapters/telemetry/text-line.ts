/** Fields with their own place in a line. The others are printed as `field=value`. */
const OWN = new Set(['level', 'time', 'msg', 'err'])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Replaces control characters, which could move the cursor of a terminal. */
const printable = (text: string): string => text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '?')

const stackOf = (error: unknown): string => {
  if (!isRecord(error)) return ''
  const text = String(error['stack'] ?? error['message'] ?? '')
  return text === '' ? '' : `\n    ${text.replaceAll('\n', '\n    ')}`
}

const fieldsOf = (entry: Readonly<Record<string, unknown>>): string =>
  Object.entries(entry)
    .filter(([name]) => !OWN.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('')

/** A log line of JSON as a line for people: `16:00:32 warn  message field=value`. Text that is no JSON stays as it is. */
export const textLine = (line: string): string => {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch {
    return line
  }
  if (!isRecord(entry)) return line
  const clock = String(entry['time'] ?? '').slice(11, 19)
  const level = String(entry['level'] ?? '').padEnd(5)
  return `${printable(`${clock} ${level} ${entry['msg'] ?? ''}${fieldsOf(entry)}${stackOf(entry['err'])}`)}\n`
}
