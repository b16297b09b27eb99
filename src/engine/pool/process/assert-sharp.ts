import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The installation lacks sharp, or its program for this machine. The message says what to do. */
export class SharpMissing extends Error {}

const isFound = (require: NodeJS.Require, name: string): boolean => {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}

/** Whether sharp finds a native module for a platform. `from` is a path to resolve packages from. */
const hasNativeModule = (from: string): boolean => {
  const entry = createRequire(from).resolve('sharp')
  const require = createRequire(entry)
  const packages = ['', 'musl']
    .map((libc) => `@img/sharp-${process.platform}${libc}-${process.arch}`)
    .concat('@img/sharp-wasm32')
  // A sharp that was compiled on this machine keeps its module in its own folder.
  const compiled = join(dirname(entry), '../src/build/Release')
  return packages.some((name) => isFound(require, `${name}/sharp.node`)) || existsSync(compiled)
}

/**
 * Fails with {@link SharpMissing} when sharp cannot load on this machine. Resolves names only: the parent process never
 * loads libvips.
 */
export const assertSharp = (from: string = import.meta.url): void => {
  if (!isFound(createRequire(from), 'sharp'))
    throw new SharpMissing(
      'The package sharp, which decodes every image, is not installed. Install it: npm install sharp',
    )
  if (hasNativeModule(from)) return
  throw new SharpMissing(
    `sharp has no program for this machine (${process.platform}-${process.arch}). npm leaves it out with --omit=optional, and node_modules cannot be copied between kinds of machines. Install again here: npm install --include=optional`,
  )
}
