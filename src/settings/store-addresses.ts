import type { Reader } from './readers.ts'

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** The address of a PostgreSQL database, as its own tools write it. */
export const databaseUrl: Reader<string> = (text) => {
  const url = parse(text)
  return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '' && url.pathname.length > 1
    ? { value: text }
    : { expected: 'the address of a PostgreSQL database, such as postgres://user:password@db.example.com:5432/whittle' }
}

/** The secret of an installation: any text that nobody guesses. */
export const secretText: Reader<string> = (text) =>
  text.length >= 32
    ? { value: text }
    : { expected: 'at least 32 characters that nobody can guess (openssl rand -hex 32)' }
