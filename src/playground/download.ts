import { extensionOf } from '../core/file-extension.ts'
import type { Done } from './requests.ts'
import { makeZip, uniqueNames } from './zip.ts'

/** Returns the name of the source with the file extension of the result. */
export const resultName = (name: string, type: string): string => {
  const extension = extensionOf(type)
  return extension === undefined ? name : `${name.replace(/\.[^./]*$/, '')}.${extension}`
}

const save = (address: string, name: string): void => {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}

/** Saves one result under the name of its source. */
export const saveResult = (name: string, result: Done): void => save(result.address, resultName(name, result.type))

/** Saves several results as one ZIP archive. */
export const saveResults = async (results: readonly (readonly [name: string, result: Done])[]): Promise<void> => {
  const names = uniqueNames(results.map(([name, { type }]) => resultName(name, type)))
  const entries = await Promise.all(
    results.map(async ([, { blob }], at) => ({ name: names[at]!, bytes: new Uint8Array(await blob.arrayBuffer()) })),
  )
  const address = URL.createObjectURL(makeZip(entries))
  save(address, 'optimised.zip')
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
