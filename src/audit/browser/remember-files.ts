import type { FetchedFile, FileSource } from '../fetch-files.ts'

/** A source that fetches each address once, so that browser and measurement share the file. The files stay until their directory is removed. */
export const rememberFiles = (source: FileSource): FileSource => {
  const files = new Map<string, Promise<FetchedFile>>()
  const keep = async (): Promise<void> => undefined
  return {
    allows: source.allows,
    fetch: async (url) => {
      const known = files.get(url) ?? source.fetch(url)
      files.set(url, known)
      const file = await known
      return { path: file.path, bytes: file.bytes, finalUrl: file.finalUrl, [Symbol.asyncDispose]: keep }
    },
  }
}
