import { clamp } from '../../search/curve.ts'
import type { TurnedFace } from '../faces.ts'
import type { FoundObject } from '../objects.ts'
import type { Scene } from '../scene.ts'
import { FITTED_CROP } from './crop.fitted.ts'
import { headOfAnimal, headOfFace } from './heads.ts'
import { keptOf, lengthOf, type Stretch, stretchOn, type WindowSide } from './stretch.ts'
import { isRidden, isStandingAnimal, type Subject, subjectsOf } from './subjects.ts'

const PART = FITTED_CROP.part

/** Shows a part of a subject. */
interface Rule {
  /** The subjects and sides for which the rule applies. */
  readonly when: (subject: Subject, window: WindowSide) => boolean
  readonly part: (subject: Subject, window: WindowSide) => Stretch
  /** Factor of the subject's weight. */
  readonly weight: (subject: Subject, window: WindowSide) => number
  /** Worth of a shown share of the part, given the share that a window can hold; the whole is worth 1. */
  readonly worth: (kept: number, possible: number) => number
  readonly why: string
}

/** A part is worth less than its share. */
export const preferWhole = (kept: number): number => (kept + kept * kept) / 2

/** As much as a window can hold is worth 1, two thirds of that are worth 0, and half is worth less: another window shows those who fit. */
export const avoidHalves = (kept: number, possible: number): number => {
  const share = Math.min(1, kept / possible)
  return share * (3 * share - 2)
}

const isFace = ({ kind }: Subject): boolean => kind === 'face'
const isText = ({ kind }: Subject): boolean => kind === 'text'
const isObject = ({ kind }: Subject): boolean => kind === 'object'

const uprightness = (subject: Subject): number => (subject.kind === 'object' ? subject.upright : 0)
const seen = (subject: Subject): number => (subject.kind === 'object' ? subject.seen : 0)

/** Shares of an object's side that stay free above it and elsewhere around it, as its box is not exact. */
const MARGIN = { above: 0.02, around: 0.05 } as const
/** Margin around text, in heights of the line. */
const TEXT_MARGIN = 0.4
/** Height of a rider above what is ridden, in its heights. */
const RIDER = 0.5

const wholeOf = ({ region }: Subject, { axis }: WindowSide): Stretch =>
  stretchOn(region, axis, axis === 'y' ? MARGIN.above : MARGIN.around, MARGIN.around)

/** The whole of an object if the window can hold it, otherwise as much of its upper part. */
const upperOf = (subject: Subject, window: WindowSide): Stretch => {
  const { from, to } = wholeOf(subject, window)
  return { from, to: Math.min(to, from + window.share) }
}

const isHigher = (subject: Subject, window: WindowSide): boolean => lengthOf(wholeOf(subject, window)) > window.share

const lineOf = ({ region, scene }: Subject, { axis }: WindowSide): Stretch =>
  stretchOn(
    region,
    axis,
    TEXT_MARGIN * (axis === 'x' ? (region.height * scene.height) / (region.width * scene.width) : 1),
  )

/** The parts of subjects that a window should show. A rule that moves fewer than 2 % of windows has no row: see lab/crop.md. */
const RULES: readonly Rule[] = [
  {
    when: isFace,
    part: ({ region }, { axis }) => stretchOn(region, axis),
    weight: () => PART.face,
    worth: avoidHalves,
    why: 'A group shows as many whole faces as fit.',
  },
  {
    when: isFace,
    part: ({ region }, { axis }) => headOfFace(region as TurnedFace, axis),
    weight: () => PART.head,
    worth: avoidHalves,
    why: 'Hair and chin belong to the portrait.',
  },
  {
    when: isObject,
    part: wholeOf,
    weight: (subject, { axis }) => (axis === 'x' ? 1 : 1 - uprightness(subject)),
    worth: preferWhole,
    why: 'An object is shown whole where it fits. Of what stands, the upper part counts instead.',
  },
  {
    when: ({ kind, region, scene }, { axis }) => kind === 'object' && axis === 'x' && isStandingAnimal(region, scene),
    part: ({ region }) => headOfAnimal(region as FoundObject),
    weight: (subject) => PART.animalHead * uprightness(subject),
    worth: avoidHalves,
    why: 'The head of an animal that stands is above its middle.',
  },
  {
    when: (subject, { axis }) => isObject(subject) && axis === 'y',
    part: upperOf,
    weight: (subject, window) => uprightness(subject) * (isHigher(subject, window) ? 1 - seen(subject) : 1),
    worth: preferWhole,
    why: 'The head of what stands is at its top. A found face counts by itself.',
  },
  {
    when: (subject, { axis }) => subject.kind === 'object' && axis === 'y' && isRidden(subject.region),
    part: ({ region }) => ({ from: clamp(region.y - RIDER * region.height, 0, 1), to: region.y }),
    weight: () => PART.rider,
    worth: preferWhole,
    why: 'Riders are half hidden and often not found.',
  },
  { when: isText, part: lineOf, weight: () => 1, worth: preferWhole, why: 'Cut lettering cannot be read.' },
]

/** The worth of windows by where they begin: the sum of all rules over all subjects of a scene. */
export const worthOfParts = (scene: Scene, window: WindowSide): ((start: number) => number) => {
  const parts = subjectsOf(scene).flatMap((subject) =>
    RULES.filter(({ when }) => when(subject, window)).map(({ part, weight, worth }) => ({
      ...part(subject, window),
      weight: subject.weight * weight(subject, window),
      worth,
    })),
  )
  const shown = parts
    .filter(({ from, to, weight }) => to > from && weight > 0)
    .map((one) => ({ ...one, possible: Math.min(1, window.share / lengthOf(one)) }))
  return (start) =>
    shown.reduce(
      (sum, { weight, worth, possible, ...part }) => sum + weight * worth(keptOf(part, start, window.share), possible),
      0,
    )
}
