import { pictureFormats, variantsOf } from '../build/variants.ts'
import type { Placeholder } from '../placeholder.ts'
import type { Variant } from '../variant.ts'
import { readDirectives } from './directives.ts'
import { fileOf, type Imported, readImport } from './imported.ts'
import { ORIGINAL, type Provide } from './provide.ts'
import { exportOf } from './shape.ts'
import type { LoadContext } from './types.ts'

interface ModuleSource {
  readonly root: string
  /** Default options of every import. */
  readonly defaults: Variant
  readonly provide: Provide
  /** Returns the placeholder of an image, or undefined if the server shows originals. */
  readonly placeholderOf: (image: Imported) => Promise<Placeholder | undefined>
}

/** Returns the code of a module that exports `value`. The module imports the original only if `value` refers to it. */
const codeOf = (value: unknown, file: string): string => {
  const text = JSON.stringify(value)
  if (!text.includes(ORIGINAL)) return `export default ${text}`
  return [
    `import original from ${JSON.stringify(`${file}?url`)}`,
    `export default JSON.parse(${JSON.stringify(text)}.replaceAll('${ORIGINAL}', () => original))`,
  ].join('\n')
}

/** Returns the code of the module `<file>?<directives>`. Fails for wrong directives, and like {@link readImport} and the optimiser. */
export const loadModule = async (
  id: string,
  { root, defaults, provide, placeholderOf }: ModuleSource,
  context: LoadContext,
): Promise<string> => {
  const { variant, lists, shape, placeholder } = readDirectives(id.slice(id.indexOf('?') + 1), defaults)
  const image = await readImport(id, root)
  context.addWatchFile(image.file)
  const formats = shape === 'picture' ? pictureFormats(image.size) : []
  const variants = variantsOf(variant, { formats, ...lists }, image.size)
  const candidates = await Promise.all(variants.map((each) => provide(image, each, context)))
  return codeOf(exportOf(shape, candidates, placeholder ? await placeholderOf(image) : undefined), fileOf(id))
}
