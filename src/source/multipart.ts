import { fail } from '../core/failure.ts'

/** The events of a multipart body: a part, its data, its end, the next part … */
export type Piece =
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'end' }

/** The headers of a part. */
export interface Part {
  readonly name: string | undefined
  readonly fileName: string | undefined
  /** Content-Type. */
  readonly type: string | undefined
}

/** Maximum bytes of one part's header lines. Real ones are under 1 KB. */
const MAX_HEADER_BYTES = 16_384
/** Maximum parts of a form. Real forms with an image have a few fields. */
const MAX_PARTS = 100
/** Maximum characters of a boundary. RFC 2046, section 5.1.1, allows 70, but clients exceed it. */
const MAX_BOUNDARY_CHARS = 256
/** Bytes for `--`, CRLF and blanks after a last boundary that directly follows the data. */
const LOOSE_END_BYTES = 8

/**
 * The boundary in a Content-Type, quoted or not. Accepts a comma for the semicolon (§1.6). undefined for other types. Fails with
 * UPLOAD_BROKEN when the type is multipart and has no boundary.
 */
export const boundaryOf = (contentType: string): string | undefined => {
  if (!/^\s*multipart\/form-data\b/i.test(contentType)) return undefined
  const [, quoted, bare] = /[;,\s]boundary\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare ?? ''
  if (boundary === '') throw fail('UPLOAD_BROKEN', 'its Content-Type names no boundary')
  if (boundary.length > MAX_BOUNDARY_CHARS) throw fail('UPLOAD_BROKEN', 'its boundary is too long')
  return boundary
}

/** `; name=value` with backslash escapes inside quotes. A run of backslashes matches in one way only, so matching takes linear time. */
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

/** A view of the unread bytes, with a way to load more. */
interface Window {
  readonly held: () => Buffer
  readonly take: (count: number) => Buffer
  /** Loads more bytes. False at the end of the body. */
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

/** Yields the bytes before the next boundary and its line break. Returns whether there was a boundary. */
async function* untilMark(window: Window, mark: Buffer): AsyncGenerator<Buffer, boolean> {
  for (;;) {
    const found = window.held().indexOf(mark)
    if (found >= 0) {
      const end = found > 0 && window.held()[found - 1] === 0x0d ? found - 1 : found
      yield window.take(end)
      window.take(found - end + mark.length)
      return true
    }
    // The window may end inside a boundary, or in the CR before it.
    const safe = window.held().length - mark.length - LOOSE_END_BYTES
    if (safe > 0) yield window.take(safe)
    if (await window.more()) continue
    yield withoutLooseEnd(window.take(window.held().length), mark)
    return false
  }
}

/** Removes a last boundary that no line break separates from the data. */
const withoutLooseEnd = (tail: Buffer, mark: Buffer): Buffer => {
  const at = tail.lastIndexOf(mark.subarray(1))
  const loose = at >= 0 && /^(--)?\s*$/.test(tail.toString('latin1', at + mark.length - 1))
  return loose ? tail.subarray(0, at) : tail
}

/** Whether another part follows the boundary. Two hyphens, or nothing, end the body. */
const opensPart = async (window: Window): Promise<boolean> => {
  while (window.held().length < 2) if (!(await window.more())) return false
  return window.held().toString('latin1', 0, 2) !== '--'
}

/** The blank line that ends headers, at or after `from`. undefined when it has not arrived. */
const findBlankLine = (held: Buffer, from: number): { readonly index: number; readonly length: number } | undefined => {
  for (let at = held.indexOf(0x0a, from); at >= 0; at = held.indexOf(0x0a, at + 1)) {
    if (held[at + 1] === 0x0a) return { index: at, length: 2 }
    if (held[at + 1] === 0x0d && held[at + 2] === 0x0a) return { index: at, length: 3 }
  }
  return undefined
}

/** Reads headers up to the line feed of their blank line. It is left unread, since it may start the next boundary. */
const takePart = async (window: Window): Promise<Part> => {
  // Each byte is searched once, except for a possible beginning of a blank line.
  let searched = 0
  for (;;) {
    const blank = findBlankLine(window.held().subarray(0, MAX_HEADER_BYTES), searched)
    if (blank !== undefined) return readPart(window.take(blank.index + blank.length - 1).toString('utf8'))
    if (window.held().length >= MAX_HEADER_BYTES) throw fail('UPLOAD_BROKEN', 'the header of a part is too long')
    searched = Math.max(0, window.held().length - 2)
    if (!(await window.more())) throw fail('UPLOAD_BROKEN', 'it ends inside the header of a part')
  }
}

const skipBlankLine = async (window: Window, mark: Buffer): Promise<void> => {
  while (window.held().length < mark.length && (await window.more()));
  if (!window.held().subarray(0, mark.length).equals(mark)) window.take(1)
}

/**
 * Splits a multipart/form-data body while it streams. Holds back at most a boundary or the headers of a part. Accepts bare line feeds,
 * and a last boundary that is missing or has no line breaks around it (§1.6). Fails with UPLOAD_EMPTY, or with UPLOAD_BROKEN when the
 * boundary never appears, or when parts or headers exceed their limits.
 */
export async function* splitMultipart(body: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Piece> {
  const chunks = body[Symbol.asyncIterator]()
  try {
    yield* splitChunks(chunks, Buffer.from(`\n--${boundary}`, 'latin1'))
  } finally {
    // The caller stops after the image. The body must be closed, or its timers keep running.
    await chunks.return?.()
  }
}

async function* splitChunks(chunks: AsyncIterator<Buffer>, mark: Buffer): AsyncGenerator<Piece> {
  // The first boundary may be the first line. A line feed in front makes it look like the others.
  const window = openWindow(chunks, Buffer.from('\n'))
  if (!(await window.more())) throw fail('UPLOAD_EMPTY')
  const preamble = untilMark(window, mark)
  let step = await preamble.next()
  while (!step.done) step = await preamble.next()
  if (!step.value) throw fail('UPLOAD_BROKEN', 'the boundary that its Content-Type names is not in it')
  for (let parts = 0; await opensPart(window); parts++) {
    if (parts === MAX_PARTS) throw fail('UPLOAD_BROKEN', 'it has too many parts')
    yield { kind: 'part', part: await takePart(window) }
    await skipBlankLine(window, mark)
    for await (const bytes of untilMark(window, mark)) if (bytes.length > 0) yield { kind: 'data', bytes }
    yield { kind: 'end' }
  }
}
