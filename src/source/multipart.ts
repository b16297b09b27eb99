import { fail } from '../core/failure.ts'

/** What a multipart body consists of, as it streams by: a part, its data, its end, the next part … */
export type Piece =
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'end' }

/** The headers of a part, as far as they were there. */
export interface Part {
  readonly name: string | undefined
  readonly fileName: string | undefined
  /** Content-Type. */
  readonly type: string | undefined
}

/** Header lines of one part; real ones are under 1 KB. */
const MOST_HEADER_BYTES = 16_384
/** A form with an image has a handful of fields. */
const MOST_PARTS = 100
/** RFC 2046, section 5.1.1, says 70; clients exceed it. */
const LONGEST_BOUNDARY = 256
/** Room for `--`, CRLF and some blanks after a last boundary that is stuck to the data. */
const LOOSE_END = 8

/**
 * The boundary that a Content-Type names, quoted or not. A comma may stand where a semicolon should (§1.6).
 * Undefined when the type is another one; fails with UPLOAD_BROKEN when it is multipart without a boundary.
 */
export const boundaryOf = (contentType: string): string | undefined => {
  if (!/^\s*multipart\/form-data\b/i.test(contentType)) return undefined
  const [, quoted, bare] = /[;,\s]boundary\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare ?? ''
  if (boundary === '') throw fail('UPLOAD_BROKEN', 'its Content-Type names no boundary')
  if (boundary.length > LONGEST_BOUNDARY) throw fail('UPLOAD_BROKEN', 'its boundary is too long')
  return boundary
}

/** `; name=value`, quotes inside escaped by a backslash. There is one way alone to match a run of backslashes: it stays linear. */
const PARAMETER = /[;,]\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^\s;,]*))/g

const parametersOf = (disposition: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of disposition.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    if (!found.has(key)) found.set(key, quoted?.replaceAll(/\\(["\\])/g, '$1') ?? bare)
  }
  return found
}

const readPart = (head: string): Part => {
  const lines = head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const header = (name: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  const parameters = parametersOf(`;${header('content-disposition') ?? ''}`)
  return {
    name: parameters.get('name'),
    fileName: parameters.get('filename') ?? parameters.get('filename*'),
    type: header('content-type'),
  }
}

/** The bytes at hand, and a way to more of them. */
interface Window {
  readonly held: () => Buffer
  readonly take: (count: number) => Buffer
  /** False at the end of the body. */
  readonly more: () => Promise<boolean>
}

const openWindow = (body: AsyncIterator<Buffer>, start: Buffer): Window => {
  let held = start
  return {
    held: () => held,
    take: (count) => {
      const taken = held.subarray(0, count)
      held = held.subarray(count)
      return taken
    },
    more: async () => {
      const next = await body.next()
      if (next.done) return false
      held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
      return true
    },
  }
}

/** What comes before the next boundary and the line break that belongs to it; returns whether there was a boundary. */
async function* untilMark(window: Window, mark: Buffer): AsyncGenerator<Buffer, boolean> {
  for (;;) {
    const found = window.held().indexOf(mark)
    if (found >= 0) {
      const end = found > 0 && window.held()[found - 1] === 0x0d ? found - 1 : found
      yield window.take(end)
      window.take(found - end + mark.length)
      return true
    }
    // Half a boundary may be here, with the CR before it.
    const safe = window.held().length - mark.length - LOOSE_END
    if (safe > 0) yield window.take(safe)
    if (await window.more()) continue
    yield withoutLooseEnd(window.take(window.held().length), mark)
    return false
  }
}

/** A last boundary that no line break sets off from the data. */
const withoutLooseEnd = (tail: Buffer, mark: Buffer): Buffer => {
  const at = tail.lastIndexOf(mark.subarray(1))
  const loose = at >= 0 && /^(--)?\s*$/.test(tail.toString('latin1', at + mark.length - 1))
  return loose ? tail.subarray(0, at) : tail
}

/** Whether a part follows the boundary just read, or the end of it all: two hyphens, or nothing. */
const opensPart = async (window: Window): Promise<boolean> => {
  while (window.held().length < 2) if (!(await window.more())) return false
  return window.held().toString('latin1', 0, 2) !== '--'
}

/** The offset of the blank line that ends headers, at or after `from`, and what it consists of; undefined when it has not come yet. */
const findBlankLine = (held: Buffer, from: number): { readonly index: number; readonly length: number } | undefined => {
  for (let at = held.indexOf(0x0a, from); at >= 0; at = held.indexOf(0x0a, at + 1)) {
    if (held[at + 1] === 0x0a) return { index: at, length: 2 }
    if (held[at + 1] === 0x0d && held[at + 2] === 0x0a) return { index: at, length: 3 }
  }
  return undefined
}

/** Reads the headers up to the line feed of their blank line, which stays: it may belong to the next boundary. */
const takePart = async (window: Window): Promise<Part> => {
  // What was looked through is not looked through again, but for the beginning of a blank line.
  let looked = 0
  for (;;) {
    const blank = findBlankLine(window.held().subarray(0, MOST_HEADER_BYTES), looked)
    if (blank !== undefined) return readPart(window.take(blank.index + blank.length - 1).toString('utf8'))
    if (window.held().length >= MOST_HEADER_BYTES) throw fail('UPLOAD_BROKEN', 'the header of a part is too long')
    looked = Math.max(0, window.held().length - 2)
    if (!(await window.more())) throw fail('UPLOAD_BROKEN', 'it ends inside the header of a part')
  }
}

const skipBlankLine = async (window: Window, mark: Buffer): Promise<void> => {
  while (window.held().length < mark.length && (await window.more()));
  if (!window.held().subarray(0, mark.length).equals(mark)) window.take(1)
}

/**
 * Splits a body of multipart/form-data while it streams, holding back no more than a boundary or the headers of a part.
 * Taken as the sender meant it: bare line feeds, a last boundary without line breaks around it, or none at all (§1.6).
 * Fails with UPLOAD_EMPTY, or with UPLOAD_BROKEN when the boundary is nowhere, or parts or headers are too many.
 */
export async function* splitMultipart(body: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Piece> {
  const chunks = body[Symbol.asyncIterator]()
  try {
    yield* splitChunks(chunks, Buffer.from(`\n--${boundary}`, 'latin1'))
  } finally {
    // Whoever has the image asks for no more; the body has to hear of it, or its timers go on.
    await chunks.return?.()
  }
}

async function* splitChunks(chunks: AsyncIterator<Buffer>, mark: Buffer): AsyncGenerator<Piece> {
  // The first boundary may be the very first line: an imagined line break before it makes it like the others.
  const window = openWindow(chunks, Buffer.from('\n'))
  if (!(await window.more())) throw fail('UPLOAD_EMPTY')
  const preamble = untilMark(window, mark)
  let step = await preamble.next()
  while (!step.done) step = await preamble.next()
  if (!step.value) throw fail('UPLOAD_BROKEN', 'the boundary that its Content-Type names is not in it')
  for (let parts = 0; await opensPart(window); parts++) {
    if (parts === MOST_PARTS) throw fail('UPLOAD_BROKEN', 'it has too many parts')
    yield { kind: 'part', part: await takePart(window) }
    await skipBlankLine(window, mark)
    for await (const bytes of untilMark(window, mark)) if (bytes.length > 0) yield { kind: 'data', bytes }
    yield { kind: 'end' }
  }
}
