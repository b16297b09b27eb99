/** Writes the TypeScript interface of a kernel from the AssemblyScript functions that it exports, and the layouts of their parameter blocks. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One field of a block, or one parameter. */
interface Named {
  readonly name: string
  readonly type: string
}

interface ExportedFunction {
  readonly name: string
  readonly parameters: readonly Named[]
  readonly result: string
  /** The fields of the block, if that is the only parameter. */
  readonly block?: readonly Named[]
}

/** More parameters than these are a block. */
const MAX_PARAMETERS = 6
/** Bytes of a field, by type; all others take four. */
const WIDE: ReadonlySet<string> = new Set(['f64', 'u64', 'i64'])
const FLOATS: ReadonlySet<string> = new Set(['f32', 'f64'])

const namedIn = (list: string, separator: RegExp): readonly Named[] =>
  list
    .split(separator)
    .map((part) => part.replace(/\/\/.*/, '').trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name, type] = part.split(/:\s*/) as [string, string]
      return { name, type }
    })

const classesIn = (text: string): ReadonlyMap<string, readonly Named[]> =>
  new Map(
    [...text.matchAll(/^@unmanaged class (\w+) \{\n([^}]*)\}/gm)].map(([, name, fields]) => [
      name!,
      namedIn(fields!, /\n/),
    ]),
  )

const functionsIn = (text: string): readonly ExportedFunction[] => {
  const classes = classesIn(text)
  return [...text.matchAll(/^(?:@inline )?export function (\w+)\(([^)]*)\): (\w+)/gm)].map(([, name, list, result]) => {
    const parameters = namedIn(list!, /,/)
    const block = parameters.length === 1 ? classes.get(parameters[0]!.type) : undefined
    return { name: name!, parameters, result: result!, ...(block === undefined ? {} : { block }) }
  })
}

const textsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))

/** The functions that a compiled kernel exports, as they are written in its folder or in kernels/common. */
const exportsOf = (folder: string, wasm: Uint8Array<ArrayBuffer>): readonly ExportedFunction[] => {
  const [own, common] = [folder, join(folder, '../common')].map((one) => textsIn(one).flatMap(functionsIn))
  return WebAssembly.Module.exports(new WebAssembly.Module(wasm))
    .filter(({ kind }) => kind === 'function')
    .map(({ name }) => {
      const named = own!.filter((one) => one.name === name)
      const [found, ...others] = named.length > 0 ? named : common!.filter((one) => one.name === name)
      if (found === undefined || others.length > 0) throw new Error(`${folder}: not one function is named ${name}`)
      return found
    })
}

const typeOf = ({ type }: Pick<Named, 'type'>): string => {
  if (type === 'void') return 'void'
  return type === 'bool' ? 'boolean | number' : 'number'
}
const resultOf = (type: string): string => (type === 'void' ? 'void' : 'number')

const signatureOf = ({ name, parameters, result, block }: ExportedFunction): string => {
  if (parameters.length > MAX_PARAMETERS)
    throw new Error(`${name} takes ${parameters.length} parameters: give it a block`)
  const list = parameters.map((one) => `${one.name}: ${typeOf(one)}`).join(', ')
  const fields = block?.map((one) => `${one.name}: number`).join('; ')
  return `  ${name}(${fields === undefined ? list : `given: Readonly<{ ${fields} }>`}): ${resultOf(result)}`
}

/** A row of the table of layouts: name, type and offset of each field. */
const layoutOf = ({ name, block = [] }: ExportedFunction): string => {
  let end = 0
  const fields = block.map((field) => {
    const bytes = WIDE.has(field.type) ? 8 : 4
    const offset = Math.ceil(end / bytes) * bytes
    end = offset + bytes
    return `['${field.name}', '${FLOATS.has(field.type) ? field.type : 'i32'}', ${offset}]`
  })
  return `  ${name}: [${fields.join(', ')}],`
}

/** The name of a kernel as types have it. */
const nameOf = (title: string): string => `${title[0]!.toUpperCase()}${title.slice(1)}`

/** The text of a module with the interface of the kernel in `folder`, whose name is `title`. */
export const interfaceOf = (folder: string, title: string): string => {
  const functions = exportsOf(folder, readFileSync(join(folder, `${title}.wasm`)))
  const withBlocks = functions.filter(({ block }) => block !== undefined)
  const layouts = withBlocks.map(layoutOf).join('\n')
  return `/** Exports of kernels/${title}, written by \`npm run kernels\`. Addresses are bytes in its memory. */
export interface ${nameOf(title)}Exports {
  readonly memory: WebAssembly.Memory
${functions.map(signatureOf).join('\n')}
}
${withBlocks.length === 0 ? '' : `\n/** Fields of the parameter blocks: name, type, offset in bytes. */\nexport const ${title.toUpperCase()}_LAYOUTS = {\n${layouts}\n} as const\n`}`
}

/** Where the interface of a kernel lies: next to the source that imports it. */
export const interfaceFileOf = (root: string, kernel: string): string | undefined => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const loader = sources.find(
    (file) =>
      file.endsWith('.ts') && readFileSync(join(root, 'src', file), 'utf8').includes(`'./${kernel}-exports.ts'`),
  )
  return loader === undefined ? undefined : join(root, 'src', dirname(loader), `${kernel}-exports.ts`)
}
