import { clip, type Found, fuse, mirrorRegion } from './boxes.ts'
import { logistic } from './logistic.ts'

/** Numbers of the network (NanoDet-g, generalised focal loss after Li et al. 2020). */
export const OBJECT_NETWORK = {
  /** Side of the input, px; the image is stretched to it. */
  side: 416,
  /** Each distance from an anchor to a side of its box is an expectation over this number of steps of one stride. */
  steps: 11,
} as const

/** Classes of the data set COCO that the network is trained on. */
export const COCO = {
  classes: 80,
  person: 0,
  /** The ten kinds of animals. */
  firstAnimal: 14,
  lastAnimal: 23,
} as const

/** Objects of one kind that overlap more are one. */
const MAX_OVERLAP = 0.5
/** Smallest score of an object in one look. */
const MIN_SCORE = 0.2
/** Score of an object in a look that does not find it, and the smallest score after suppression. */
const UNSEEN_SCORE = 0.1

/** An object of one of COCO's 80 classes. */
export interface FoundObject extends Found {
  /** 0 is a person, 14 to 23 are animals. */
  readonly category: number
}

export const isAnimal = (category: number): boolean => category >= COCO.firstAnimal && category <= COCO.lastAnimal
/** Kinds whose overlapping boxes are fused. All animals are one kind: an animal that COCO lacks can look like several. */
const kindOf = ({ category }: FoundObject): number => (isAnimal(category) ? COCO.firstAnimal : category)

/** Outputs of the object network: anchors on two grids. */
export interface ObjectOutputs {
  readonly objects16: Float32Array
  readonly objects32: Float32Array
}

/**
 * Objects from the outputs for a view and for its mirror image, sorted by score. A mirrored
 * picture gives the same objects, and one look alone counts less.
 */
export const decodeObjects = (outputs: ObjectOutputs, mirrored: ObjectOutputs): FoundObject[] => {
  const looks = [decodeLook(outputs), decodeLook(mirrored).map(mirrorRegion)]
  const kinds = new Set(looks.flat().map(kindOf))
  return [...kinds]
    .flatMap((kind) =>
      fuse(
        looks.map((found) => found.filter((object) => kindOf(object) === kind)),
        { overlap: MAX_OVERLAP, faintest: UNSEEN_SCORE },
      ),
    )
    .filter(({ width, height }) => width > 0 && height > 0)
    .sort((a, b) => b.score - a.score)
}

const decodeLook = ({ objects16, objects32 }: ObjectOutputs): FoundObject[] =>
  [objects16, objects32].flatMap(decodeGrid)

const decodeGrid = (grid: Float32Array): FoundObject[] => {
  const { steps } = OBJECT_NETWORK
  const { classes } = COCO
  const values = classes + 4 * steps
  const side = Math.round(Math.sqrt(grid.length / values))
  const found: FoundObject[] = []
  for (let at = 0; at < side * side; at++) {
    const category = likeliest(grid, at * values)
    const score = logistic(grid[at * values + category]!)
    if (score < MIN_SCORE) continue
    const anchor = grid.subarray(at * values, (at + 1) * values)
    const [left, top, right, bottom] = [0, 1, 2, 3].map(
      (k) => expectation(anchor.subarray(classes + k * steps, classes + (k + 1) * steps)) / side,
    ) as [number, number, number, number]
    const x = ((at % side) + 0.5) / side - left
    const y = (Math.floor(at / side) + 0.5) / side - top
    found.push(clip({ score, category, x, y, width: left + right, height: top + bottom }))
  }
  return found
}

/** The class with the largest logit of the anchor that begins at a sample. */
const likeliest = (grid: Float32Array, start: number): number => {
  let most = 0
  for (let at = 1; at < COCO.classes; at++) if (grid[start + at]! > grid[start + most]!) most = at
  return most
}

/** Expected index under the softmax of logits. */
const expectation = (logits: Float32Array): number => {
  const most = Math.max(...logits)
  let [sum, weighted] = [0, 0]
  logits.forEach((logit, index) => {
    const weight = Math.exp(logit - most)
    sum += weight
    weighted += weight * index
  })
  return weighted / sum
}
