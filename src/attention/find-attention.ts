import type { Extent, Point, Raster } from '../core/image.ts'
import { chooseFocus } from './choose-focus.ts'
import { type Detectors, type OpenDetectors, openDetectors } from './detectors.ts'
import { decodeFaces, type FaceOutputs, type TurnedFace } from './faces.ts'
import { makeViews, type Views } from './make-views.ts'
import { decodeObjects, type FoundObject, PERSON } from './objects.ts'
import { computeSaliency } from './saliency/saliency.ts'
import type { Scene } from './scene.ts'
import { findText } from './text/text.ts'
import { turnHalf, type View } from './view.ts'

/** What draws attention in an image, and where its middle is. Where faces are is all that is computed of people. */
export interface Attention extends Scene {
  /** The middle of what a crop that keeps about half of each side would show, as fractions of the image. */
  readonly focus: Point
}

/** Told once in the life of a process when the networks cannot be loaded; the classical features are used alone then. */
export type Notice = (message: string) => void

/** Finds faces, objects, text and salient places in pixels of any size. Loads the networks when it is first called. */
export const findAttention = async (
  pixels: Raster,
  notice: Notice = () => undefined,
  open: OpenDetectors = openDetectors,
): Promise<Attention> => {
  const scene = await findScene(pixels, await open(notice))
  return { ...scene, focus: chooseFocus([scene]) }
}

/** The middle of the crop of `output`'s shape (`crop=auto`), as it is told, decided on one image or on several frames of an animation. */
export const findFocus = async (
  frames: readonly Raster[],
  output: Extent,
  notice: Notice = () => undefined,
): Promise<Point> => {
  const scenes: Scene[] = []
  for (const frame of frames) scenes.push(await findScene(frame, await openDetectors(notice)))
  return asTold(chooseFocus(scenes, output))
}

/** A point to 1/1000 of the sides, which is how `X-Focus` tells it: `crop=<focus>` shows the very same window. */
export const asTold = ({ x, y }: Point): Point => ({
  x: Math.round(x * 1000) / 1000,
  y: Math.round(y * 1000) / 1000,
})

const findScene = async (pixels: Raster, detectors: Detectors | undefined): Promise<Scene> => {
  const views = await makeViews(pixels)
  const { width, height } = pixels
  return {
    width,
    height,
    text: findText(views.text),
    saliency: computeSaliency(views.small),
    ...(detectors === undefined ? { faces: [], objects: [] } : detect(detectors, views, pixels)),
  }
}

const detect = (
  { faces, objects }: Detectors,
  views: Views,
  image: Extent,
): { readonly faces: readonly TurnedFace[]; readonly objects: readonly FoundObject[] } => {
  const { objects16, objects32 } = objects.run(views.square.data)
  const found = decodeObjects([objects16!, objects32!])
  const look = (view: View, upsideDown: boolean): TurnedFace[] =>
    decodeFaces(faces.run(view.data) as unknown as FaceOutputs, image, upsideDown)
  const upright = look(views.letterbox, false)
  const again = upright.length === 0 && found.some(isPerhapsPerson)
  return { objects: found, faces: again ? look(turnHalf(views.letterbox), true) : upright }
}

/** Certainty of a person from which on, where no face is seen, faces are looked for upside down. */
const PERHAPS_PERSON = 0.25

const isPerhapsPerson = ({ category, score }: FoundObject): boolean => category === PERSON && score >= PERHAPS_PERSON
