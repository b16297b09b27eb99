import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { type Detectors, loadDetectors } from '../../src/attention/detectors.ts'
import { sceneInViews } from '../../src/attention/find-attention.ts'
import { makeViews, type Views } from '../../src/attention/make-views.ts'
import type { Network } from '../../src/attention/network/network.ts'
import type { Scene } from '../../src/attention/scene.ts'
import type { Extent } from '../../src/core/image.ts'
import type { Rectangle } from './labels.ts'
import { picturesOf } from './pictures.ts'

type Outputs = ReturnType<Network['run']>

/** The views of a picture and the outputs of the networks for them. None of it depends on the rules that choose a window. */
export interface Recorded {
  readonly set: string
  readonly file: string
  readonly image: Extent
  readonly subject?: Rectangle | undefined
  readonly views: Views
  /** Outputs of the networks by the hash of their input. */
  readonly outputs: Map<string, Outputs>
  readonly scene: Scene
}

const recording = (network: Network, outputs: Map<string, Outputs>): Network => ({
  run: (bytes) => {
    const key = createHash('sha1').update(bytes).digest('base64')
    const known = outputs.get(key) ?? network.run(bytes)
    outputs.set(key, known)
    return known
  },
})

/** Detectors that run a network only on inputs that have no recorded outputs. */
export const recordingDetectors = (detectors: Detectors, outputs: Map<string, Outputs>): Detectors => ({
  faces: recording(detectors.faces, outputs),
  objects: recording(detectors.objects, outputs),
})

export const openNetworks = (): Promise<Detectors> => loadDetectors(new URL('../../models/', import.meta.url))

/** The recorded pictures: their scenes, and everything about each by index. */
export interface Records {
  readonly scenes: readonly Omit<Recorded, 'views' | 'outputs'>[]
  readonly read: (at: number) => Recorded
}

/** Runs the detectors once on each picture of the folders and their copies, unless the files exist. */
export const record = async (folder: string, corpora: readonly string[]): Promise<Records> => {
  mkdirSync(folder, { recursive: true })
  const index = join(folder, 'scenes.bin')
  const read = (at: number): Recorded => deserialize(readFileSync(join(folder, `${at}.bin`))) as Recorded
  if (existsSync(index)) return { scenes: deserialize(readFileSync(index)) as Records['scenes'], read }
  const networks = await openNetworks()
  const scenes: Omit<Recorded, 'views' | 'outputs'>[] = []
  for await (const { set, file, image, subject } of picturesOf(corpora)) {
    const views = await makeViews(image)
    const outputs = new Map<string, Outputs>()
    const size = { width: image.width, height: image.height }
    const scene = sceneInViews(views, size, recordingDetectors(networks, outputs))
    const shared = { set, file, image: size, subject, scene }
    writeFileSync(join(folder, `${scenes.length}.bin`), serialize({ ...shared, views, outputs }))
    scenes.push(shared)
  }
  writeFileSync(index, serialize(scenes))
  return { scenes, read }
}
