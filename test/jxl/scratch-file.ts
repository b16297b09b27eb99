import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { pngByOxide } from './read-back.ts'

/** A file until it is disposed of. */
export interface ScratchFile extends AsyncDisposable {
  readonly path: string
  /** The colour profile that a decoder finds in it. */
  readonly profile: () => Promise<Uint8Array | undefined>
}

/** Writes a codestream to a file of its own. */
export const scratchFile = async (bytes: Uint8Array): Promise<ScratchFile> => {
  const directory = await mkdtemp(join(tmpdir(), 'jxl-'))
  const path = join(directory, 'image.jxl')
  await writeFile(path, bytes)
  return {
    path,
    profile: async () => (await sharp(await pngByOxide(path)).metadata()).icc,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
