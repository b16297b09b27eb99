import { loadNetworkKernel } from './network/kernel.ts'
import { readModel } from './network/model.ts'
import { type Network, openNetwork } from './network/network.ts'

/** The loaded networks. */
export interface Detectors {
  readonly faces: Network
  readonly objects: Network
}

/** Both src/attention and dist/attention are two folders below the package's root. */
const MODELS = new URL('../../models/', import.meta.url)

/** Returns the networks, or undefined if they cannot be loaded. */
export type OpenDetectors = (notice: (message: string) => void) => Promise<Detectors | undefined>

/** Loads once, at the first call. A failure gives one notice and is final. */
export const lazyDetectors = (load: () => Promise<Detectors>): OpenDetectors => {
  let opened: Promise<Detectors | undefined> | undefined
  return (notice) => {
    opened ??= load().catch((error: unknown) => {
      notice(`crop=auto works without detecting faces and objects: ${error instanceof Error ? error.message : error}`)
      return undefined
    })
    return opened
  }
}

/** Loads all networks from a folder. Rejects with an Error that names the file that is missing or damaged. */
export const loadDetectors = async (folder: URL): Promise<Detectors> => {
  const open = loadNetworkKernel()
  const load = async (name: string): Promise<Network> => {
    const file = new URL(name, folder)
    const model = await readModel(file).catch((error: unknown) => {
      throw new Error(`${file.pathname} cannot be read (${error instanceof Error ? error.message : error}).`)
    })
    return openNetwork(model, open())
  }
  return { faces: await load('faces.network'), objects: await load('objects.network') }
}

/** The networks of this process. */
export const openDetectors = lazyDetectors(() => loadDetectors(MODELS))
