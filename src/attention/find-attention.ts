import type { Extent, Point, Raster } from '../core/image.ts'
import { cutOut } from '../raster/trim.ts'
import { chooseFocus } from './choose-focus.ts'
import { type Detectors, type OpenDetectors, openDetectors } from './detectors.ts'
import { decodeFaces, type FaceOutputs, type TurnedFace } from './faces.ts'
import { letterbox, makeViews, type Views } from './make-views.ts'
import type { Network } from './network/network.ts'
import { decodeObjects, type FoundObject, type ObjectOutputs } from './objects.ts'
import { decodeHead, POSE_SIDE, type PoseOutputs } from './poses.ts'
import { computeSaliency } from './saliency/saliency.ts'
import type { Scene } from './scene.ts'
import { findText } from './text/text.ts'
import { headOfPerson, isPerhapsPerson, isUpright, personsWithoutFace, squareAround } from './unseen-faces.ts'
import { mirror, turnHalf, type View } from './view.ts'

/** The content of an image for cropping, and its focus. Of people it holds only faces, heads and shoulders. */
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

const findScene = async (pixels: Raster, detectors: Detectors | undefined): Promise<Scene> => {
  const views = await makeViews(pixels)
  const { width, height } = pixels
  return {
    width,
    height,
    text: findText(views.text),
    saliency: computeSaliency(views.small),
    ...(detectors === undefined ? { faces: [], objects: [] } : await detect(detectors, views, pixels)),
  }
}

type Found = Pick<Scene, 'faces' | 'objects'>

/** The outputs of a network for a view and for its mirror image. */
const lookTwice = <Outputs>(network: Network, view: View): [Outputs, Outputs] => {
  const look = ({ data }: View): Outputs => network.run(data) as Outputs
  return [look(view), look(mirror(view))]
}

const detect = async (detectors: Detectors, views: Views, image: Extent): Promise<Found> => {
  const objects = decodeObjects(...lookTwice<ObjectOutputs>(detectors.objects, views.square))
  const look = (view: View, upsideDown: boolean): TurnedFace[] =>
    decodeFaces(...lookTwice<FaceOutputs>(detectors.faces, view), image, upsideDown)
  const faces = look(views.letterbox, false)
  const persons = personsWithoutFace(objects, faces)
  const heads = await findHeads(detectors, views.whole, persons, faces.length > 0)
  const upright = [...heads].some(([person, head]) => isUpright(person, head))
  const again = faces.length === 0 && !upright && objects.some(isPerhapsPerson)
  return {
    faces: again ? look(turnHalf(views.letterbox), true) : faces,
    objects: objects.map((object) => withHead(object, heads.get(object))),
  }
}

/** Searches for the heads of persons in order. Stops if neither a face nor an upright head is seen: the image may be upside down. */
const findHeads = async (
  { poses }: Detectors,
  view: View,
  persons: readonly FoundObject[],
  facesSeen: boolean,
): Promise<ReadonlyMap<FoundObject, Head>> => {
  const heads = new Map<FoundObject, Head>()
  for (const person of persons) {
    const square = squareAround(person, view)
    const closer = await letterbox(cutOut(view, square) as View, POSE_SIDE)
    const found = decodeHead(...lookTwice<PoseOutputs>(poses(), closer))
    const head = found && headOfPerson(person, found, square, view)
    if (head !== undefined) heads.set(person, head)
    if (!facesSeen && !(head !== undefined && isUpright(person, head))) break
  }
  return heads
}

type Head = NonNullable<FoundObject['head']>

const withHead = (object: FoundObject, head: Head | undefined): FoundObject =>
  head === undefined ? object : { ...object, head }
