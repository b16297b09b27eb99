import { loadNetworkKernel } from './network/kernel.ts'
import { type Model, readModel } from './network/model.ts'
import { checkParts, type Network, openNetwork } from './network/network.ts'

/** The loaded networks. */
export interface Detectors {
  readonly faces: Network
  readonly objects: Network
  /** Loaded at the first use: most pictures do not need it. */
  readonly poses: () => Network
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

/** Loads all networks from a folder. Rejects with an Error that names the file that is missing, damaged, or not for this kernel. */
export const loadDetectors = async (folder: URL): Promise<Detectors> => {
  const open = loadNetworkKernel()
  const load = async (name: string): Promise<() => Network> => {
    const file = new URL(name, folder)
    const model = await readChecked(file).catch((error: unknown) => {
      throw new Error(`${file.pathname} cannot be read (${error instanceof Error ? error.message : error}).`)
    })
    return () => openNetwork(model, open())
  }
  const faces = (await load('faces.network'))()
  const objects = (await load('objects.network'))()
  return { faces, objects, poses: once(await load('poses.network')) }
}

const readChecked = async (file: URL): Promise<Model> => {
  const model = await readModel(file)
  checkParts(model)
  return model
}

const once = <T>(make: () => T): (() => T) => {
  let waiting: (() => T) | undefined = make
  let made: T | undefined
  return () => {
    if (waiting !== undefined) made = waiting()
    // Frees the model: the network has its own copy.
    waiting = undefined
    return made as T
  }
}

/** The networks of this process. */
export const openDetectors = lazyDetectors(() => loadDetectors(MODELS))
