import { clip, type Found, fuse, mirrorRegion } from './boxes.ts'

/** Side of the network's input, px; the image is stretched to it. */
export const OBJECT_SIDE = 416
const CLASSES = 80
/** Distances from an anchor to the sides of its box are expectations over so many steps of a stride each. */
const BINS = 11
const SIDES = 4
/** Objects of one kind that overlap more are one. */
const MOST_OVERLAP = 0.5
/** Least certainty of an object in one look. */
const LEAST = 0.2
/** What an object counts as in a look that does not find it, and the least that is left of one beside a surer one. */
const FAINTEST = 0.1

/** An object of one of COCO's 80 classes. */
export interface FoundObject extends Found {
  /** 0 is a person, 14 to 23 are animals. */
  readonly category: number
  /** Where the head of a person was found whose face is not seen. */
  readonly head?: Found
}

/** COCO's first class, and the ten kinds of animals. */
export const PERSON = 0
const [FIRST_ANIMAL, LAST_ANIMAL] = [14, 23]
export const isAnimal = (category: number): boolean => category >= FIRST_ANIMAL && category <= LAST_ANIMAL
/** What is taken for the same thing when boxes overlap: an animal that COCO does not know looks now like a cat, now like a sheep. */
const kindOf = ({ category }: FoundObject): number => (isAnimal(category) ? FIRST_ANIMAL : category)

/** What the network of objects puts out: anchors on two grids. */
export interface ObjectOutputs {
  readonly objects16: Float32Array
  readonly objects32: Float32Array
}

/**
 * Objects of a view of which the network saw the mirror image too, surest first (NanoDet: generalised focal loss, after Li
 * et al. 2020): so of a picture and its mirror image the same is found, and what one look alone shows counts less.
 */
export const decodeObjects = (outputs: ObjectOutputs, mirrored: ObjectOutputs): FoundObject[] => {
  const looks = [decodeLook(outputs), decodeLook(mirrored).map(mirrorRegion)]
  const kinds = new Set(looks.flat().map(kindOf))
  return [...kinds]
    .flatMap((kind) =>
      fuse(
        looks.map((found) => found.filter((object) => kindOf(object) === kind)),
        { overlap: MOST_OVERLAP, faintest: FAINTEST },
      ),
    )
    .filter(({ width, height }) => width > 0 && height > 0)
    .sort((a, b) => b.score - a.score)
}

const decodeLook = ({ objects16, objects32 }: ObjectOutputs): FoundObject[] =>
  [objects16, objects32].flatMap(decodeGrid)

const decodeGrid = (grid: Float32Array): FoundObject[] => {
  const values = CLASSES + SIDES * BINS
  const side = Math.round(Math.sqrt(grid.length / values))
  const found: FoundObject[] = []
  for (let at = 0; at < side * side; at++) {
    const category = likeliest(grid, at * values)
    const score = 1 / (1 + Math.exp(-grid[at * values + category]!))
    if (score < LEAST) continue
    const anchor = grid.subarray(at * values, (at + 1) * values)
    const [left, top, right, bottom] = [0, 1, 2, 3].map(
      (k) => expectation(anchor.subarray(CLASSES + k * BINS, CLASSES + (k + 1) * BINS)) / side,
    ) as [number, number, number, number]
    const x = ((at % side) + 0.5) / side - left
    const y = (Math.floor(at / side) + 0.5) / side - top
    found.push(clip({ score, category, x, y, width: left + right, height: top + bottom }))
  }
  return found
}

/** The class whose logit is the largest, of an anchor that begins at a sample. */
const likeliest = (grid: Float32Array, start: number): number => {
  let most = 0
  for (let at = 1; at < CLASSES; at++) if (grid[start + at]! > grid[start + most]!) most = at
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
