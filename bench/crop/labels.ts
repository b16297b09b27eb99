import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { picturesWithHeads } from './heads.ts'

/** A rectangle in px of the upright image: x, y, width, height. */
export type Rectangle = readonly [number, number, number, number]

/** A labelled photograph. */
export interface Labelled {
  readonly file: string
  readonly kind: string
  readonly subject: Rectangle
  readonly faces: readonly Rectangle[]
}

const rowsOf = (file: string): Record<string, string>[] => {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n')
  const names = head.split('\t')
  return lines.map((line) => Object.fromEntries(line.split('\t').map((value, at) => [names[at]!, value])))
}

const rectangle = (text: string): Rectangle => text.split(',').map(Number) as unknown as Rectangle

/** Labels of a folder: `MANIFEST.tsv` (image, subject_box, faces, kind) or `boxes.tsv` (one box a row; their union is the subject); none where neither is. */
export const readLabels = (folder: string): Labelled[] => {
  const manifest = join(folder, 'MANIFEST.tsv')
  const boxes = join(folder, 'boxes.tsv')
  if (existsSync(manifest)) return fromManifest(folder, rowsOf(manifest))
  return existsSync(boxes) ? fromBoxes(folder, rowsOf(boxes)) : []
}

const kindOf = (file: string, kind: string): string => (/raccoon|racc_/.test(file) ? 'animal' : kind)

/** All pictures of a folder that have labels of subjects or of heads. */
export const readPictures = (folder: string): readonly string[] => [
  ...new Set([...readLabels(folder).map(({ file }) => file), ...picturesWithHeads(folder)]),
]

const fromManifest = (folder: string, rows: Record<string, string>[]): Labelled[] =>
  rows.map((row) => ({
    file: join(folder, row['image']!),
    kind: kindOf(row['image']!, row['kind']!),
    subject: rectangle(row['subject_box']!),
    faces: (row['faces'] ?? '').split(';').filter(Boolean).map(rectangle),
  }))

const fromBoxes = (folder: string, rows: Record<string, string>[]): Labelled[] =>
  [...Map.groupBy(rows, (row) => row['file']!)].map(([name, boxes]) => {
    const box = (row: Record<string, string>): Rectangle => rectangle([row['x'], row['y'], row['w'], row['h']].join())
    const faces = boxes.filter((row) => row['label'] === 'face').map(box)
    const others = boxes.filter((row) => row['label'] !== 'face')
    return {
      file: join(folder, name),
      kind: kindOf(name, others[0]?.['label'] ?? 'face'),
      subject: union(others.length === 0 ? faces : others.map(box)),
      faces,
    }
  })

const union = (boxes: readonly Rectangle[]): Rectangle => {
  const left = Math.min(...boxes.map(([x]) => x))
  const top = Math.min(...boxes.map(([, y]) => y))
  return [
    left,
    top,
    Math.max(...boxes.map(([x, , w]) => x + w)) - left,
    Math.max(...boxes.map(([, y, , h]) => y + h)) - top,
  ]
}
