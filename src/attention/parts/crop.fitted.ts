/**
 * Written by `npm run fit:crop` on 2026-11-26, not by hand.
 * Data: 129 files; SHA-256 of their hashes and names 523b244fdf9dea2ad76767aac9ad775b8c1351e7d5577f6adef676469d9c37c9.
 * Error, cost of a window: 0.0481 before, 0.0498 held out after.
 * Error, kept / whole / lost, %: 97.0 / 87.0 / 0.5; 94.5 / 81.3 / 1.1; of 688 heads 6 cut and 4 left out where all would fit; where not all do 27 cut, 63 left out before, 97.0 / 87.0 / 0.5; 94.0 / 81.3 / 1.6; of 688 heads 6 cut and 4 left out where all would fit; where not all do 27 cut, 63 left out, held out after.
 */
/** Weights of what a window shows. */
export const FITTED_CROP = {
  /** The saliency that a window shows, and the squared distance of its middle from the middle of the saliency. */
  window: { saliency: 0.8, balance: 16 },
  /** All faces, objects and lines of text together. */
  total: { face: 2.2, object: 3, text: 6 },
  /** Kinds of objects; a person has 1. `seen`: a person whose face was found, which has its own weight. */
  kind: { animal: 6, seen: 0.1, other: 0.3 },
  /** Shares that are lost: by faces next to a certain animal, by a person whom the left or right edge cuts. */
  lost: { besideAnimal: 0.6, cutPerson: 0.4 },
  /** Parts, as factors of their subject's weight; other parts have 1. */
  part: { face: 0.5, head: 0.5, animalHead: 0.3, rider: 2 },
}
