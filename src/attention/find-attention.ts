import type { Extent, Point, Raster } from '../core/image.ts'
import { chooseFocus } from './choose-focus.ts'
import { type Detectors, type OpenDetectors, openDetectors } from './detectors.ts'
import { decodeFaces, type FaceOutputs } from './faces.ts'
import { makeViews, type Views } from './make-views.ts'
import type { Network } from './network/network.ts'
import { decodeObjects, type ObjectOutputs } from './objects.ts'
import { computeSaliency } from './saliency/saliency.ts'
import type { Scene } from './scene.ts'
import { findText } from './text/text.ts'
import { mirror, type View } from './view.ts'

/** The content of an image for cropping, and its focus. Of people it holds only faces and the boxes of bodies. */
export interface Attention extends Scene {
  /** Middle of a crop that keeps about half of each side, as fractions of the image. */
  readonly focus: Point
}

/** Called once in a process if the networks cannot be loaded. Classical features are used alone then. */
export type Notice = (message: string) => void

/** Finds faces, objects, text and salient regions in pixels of any size. Loads the networks at the first call. */
export const findAttention = async (
  pixels: Raster,
  notice: Notice = () => undefined,
  open: OpenDetectors = openDetectors,
): Promise<Attention> => {
  const scene = await findScene(pixels, await open(notice))
  return { ...scene, focus: chooseFocus([scene]) }
}

/** The rounded middle of the crop of `output`'s shape (`crop=auto`) for one image or the frames of an animation. */
export const findFocus = async (
  frames: readonly Raster[],
  output: Extent,
  notice: Notice = () => undefined,
): Promise<Point> => {
  const scenes: Scene[] = []
  for (const frame of frames) scenes.push(await findScene(frame, await openDetectors(notice)))
  return roundFocus(chooseFocus(scenes, output))
}

/** Rounds a point to 1/1000 of the sides, as in `X-Focus`: `crop=<focus>` shows the same window. */
export const roundFocus = ({ x, y }: Point): Point => ({
  x: Math.round(x * 1000) / 1000,
  y: Math.round(y * 1000) / 1000,
})

const findScene = async (pixels: Raster, detectors: Detectors | undefined): Promise<Scene> =>
  sceneInViews(await makeViews(pixels), pixels, detectors)

/** The scene in the views of an image. */
export const sceneInViews = (views: Views, { width, height }: Extent, detectors: Detectors | undefined): Scene => ({
  width,
  height,
  text: findText(views.text),
  saliency: computeSaliency(views.small),
  ...(detectors === undefined ? { faces: [], objects: [] } : detect(detectors, views, { width, height })),
})

/** The outputs of a network for a view and for its mirror image. */
const lookTwice = <Outputs>(network: Network, view: View): [Outputs, Outputs] => {
  const look = ({ data }: View): Outputs => network.run(data) as Outputs
  return [look(view), look(mirror(view))]
}

/** The faces and objects in the views of an image. */
export const detect = (detectors: Detectors, views: Views, image: Extent): Pick<Scene, 'faces' | 'objects'> => ({
  faces: decodeFaces(...lookTwice<FaceOutputs>(detectors.faces, views.letterbox), image),
  objects: decodeObjects(...lookTwice<ObjectOutputs>(detectors.objects, views.square)),
})
