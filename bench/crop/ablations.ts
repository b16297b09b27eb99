import type { Change } from './variant.ts'

/** A rule or constant of src/attention, and the change that switches it off. */
export interface Ablation {
  readonly rule: string
  readonly changes: readonly Change[]
}

const one = (rule: string, file: string, from: string, to: string): Ablation => ({
  rule,
  changes: [{ file, from, to }],
})

/** Every rule and constant that decides about a window, switched off. */
export const ABLATIONS: readonly Ablation[] = [
  one(
    'average of nearly equal windows',
    'choose-focus.ts',
    'return weighted / sum',
    'return best.start + 0 * (weighted + sum)',
  ),
  one('saliency', 'choose-focus.ts', 'WEIGHT.saliency * mass', '0 * mass'),
  one('saliency: power', 'saliency/saliency.ts', 'const POWER = 4', 'const POWER = 1'),
  one('saliency: above plain ground', 'saliency/saliency.ts', 'weight - ground[at]!', 'weight - 0 * ground[at]!'),
  one('saliency: inset', 'choose-focus.ts', 'const INSET = 0.08', 'const INSET = 0'),
  one('saliency: balance', 'choose-focus.ts', 'WEIGHT.balance * (', '0 * ('),
  one('heads: held', 'parts/heads.ts', 'surestAnimal(scene) > 0', 'surestAnimal(scene) > -1'),
  one('heads: not next to animals', 'parts/heads.ts', 'surestAnimal(scene) > 0', 'surestAnimal(scene) > 1'),
  one('heads: length error', 'parts/heads.ts', 'HEAD_LENGTH_ERROR = 0.1', 'HEAD_LENGTH_ERROR = 0'),
  one('heads: margin', 'parts/heads.ts', 'const MARGIN = 0.2', 'const MARGIN = 0'),
  one('heads: completed', 'parts/heads.ts', 'NEARLY_WHOLE = 0.7', 'NEARLY_WHOLE = 9'),
  one('heads: completed, of animals', 'parts/heads.ts', ', ...animalHeads(scenes, axis)]', ']'),
  one('heads: image edge', 'parts/heads.ts', '(head.from > 0 ? lengthOf(head) : 0)', 'lengthOf(head)'),
  one('heads: turned', 'parts/heads.ts', 'const TURNED = 0.5', 'const TURNED = 0'),
  one('heads: doubtful faces', 'parts/heads.ts', 'MIN_FACE_SCORE = 0.65', 'MIN_FACE_SCORE = 0.8'),
  one('heads: of persons', 'parts/heads.ts', 'score >= CERTAIN.object[1]', 'score > 1'),
  one('subjects: persons corroborate faces', 'parts/subjects.ts', 'DOUBT_REMOVED = 0.5', 'DOUBT_REMOVED = 0'),
  one('subjects: faces next to animals', 'parts/subjects.ts', 'LOST.besideAnimal * surestAnimal', '0 * surestAnimal'),
  one('subjects: animals', 'parts/subjects.ts', 'return KIND.animal', 'return 1'),
  one('subjects: persons with a face', 'parts/subjects.ts', '(KIND.seen - 1)', '0'),
  one('subjects: other things', 'parts/subjects.ts', 'return KIND.other', 'return 1'),
  one(
    'subjects: certainty of the surest',
    'parts/subjects.ts',
    'total * surest * weight',
    'total * Math.sign(surest) * weight',
  ),
  one('subjects: cut by the edge', 'parts/subjects.ts', 'return 1 - loss * cut', 'return 1 - 0 * loss * cut'),
  one('subjects: wide at the edge', 'parts/subjects.ts', ' * (1 - rampUp(width, WIDE))', ''),
  one(
    'subjects: persons at the edge',
    'parts/subjects.ts',
    'category === COCO.person ? LOST',
    'category === -1 ? LOST',
  ),
  one('subjects: lower corners', 'parts/subjects.ts', ' + (1 - LOST.cutPerson) * touches(1 - y - height)', ''),
  one(
    'rules: face',
    'parts/rules.ts',
    'stretchOn(region, axis),\n    weight: () => PART.face',
    'stretchOn(region, axis),\n    weight: () => 0',
  ),
  one(
    'rules: head',
    'parts/rules.ts',
    'headOfFace(region as TurnedFace, axis),\n    weight: () => PART.head',
    'headOfFace(region as TurnedFace, axis),\n    weight: () => 0',
  ),
  one(
    'rules: whole across',
    'parts/rules.ts',
    "(axis === 'x' ? 1 : 1 - uprightness(subject))",
    "(axis === 'x' ? 0 : 1 - uprightness(subject))",
  ),
  one('rules: animals that stand', 'parts/rules.ts', 'PART.animalHead * uprightness(subject)', '0'),
  one('rules: whole down', 'parts/rules.ts', '1 - uprightness(subject)', '0'),
  one('rules: upper part', 'parts/rules.ts', 'to: Math.min(to, from + window.share)', 'to'),
  one(
    'rules: upper part of persons with a face',
    'parts/rules.ts',
    '(isHigher(subject, window) ? 1 - seen(subject) : 1)',
    '1',
  ),
  one('rules: rider', 'parts/rules.ts', 'weight: () => PART.rider', 'weight: () => 0'),
  one('rules: text', 'parts/rules.ts', 'part: lineOf, weight: () => 1', 'part: lineOf, weight: () => 0'),
  one('rules: margin of objects', 'parts/rules.ts', '{ above: 0.02, around: 0.05 }', '{ above: 0, around: 0 }'),
  one('rules: margin of text', 'parts/rules.ts', 'TEXT_MARGIN = 0.4', 'TEXT_MARGIN = 0'),
  one('rules: parts worth less', 'parts/rules.ts', '(kept + kept * kept) / 2', 'kept'),
  one('rules: halves avoided', 'parts/rules.ts', 'share * (3 * share - 2)', 'share'),
  one('rules: of what fits', 'parts/rules.ts', 'Math.min(1, kept / possible)', 'kept + 0 * possible'),
  one(
    'detectors: mirror image',
    'find-attention.ts',
    'return [look(view), look(mirror(view))]',
    'const once = look(view)\n  mirror(view)\n  return [once, once]',
  ),
  one('detectors: soft suppression', 'boxes.ts', '{ from: -0.15, wholly: 0.05 }', '{ from: -0.0001, wholly: 0 }'),
  one('detectors: rounds of fusion', 'boxes.ts', 'const ROUNDS = 2', 'const ROUNDS = 1'),
  one(
    'detectors: persons for faces',
    'faces.ts',
    '...decodeHead(personScores, personBoxes),',
    '...decodeHead(personScores, personBoxes).slice(0, 0),',
  ),
  one(
    'detectors: animals are one kind',
    'objects.ts',
    '(isAnimal(category) ? COCO.firstAnimal : category)',
    'category',
  ),
]
