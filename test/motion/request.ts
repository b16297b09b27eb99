import { mkdtemp, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Deadline, deadlineIn } from '../../src/core/deadline.ts'
import type { OutputFormat, SourceFacts } from '../../src/core/image.ts'
import type { Made } from '../../src/core/outcome.ts'
import { openAnimation } from '../../src/motion/frames/animation.ts'
import { optimiseAnimation } from '../../src/motion/optimise-animation.ts'
import type { Plan } from '../../src/plan/plan.ts'

export const fixture = (name: string): string => join(import.meta.dirname, '../fixtures/motion', name)

/** An animation made of a fixture (or of any path) as the engine would have it made, with every candidate that was offered. */
export const make = async (
  name: string,
  format: OutputFormat,
  { deadline = deadlineIn(60_000), ...changes }: Partial<Plan> & { deadline?: Deadline } = {},
): Promise<{ made: Made; offers: Made[]; facts: SourceFacts }> => {
  const path = name.startsWith('/') ? name : fixture(name)
  const source = name.endsWith('.png') ? 'png' : name.endsWith('.webp') ? 'webp' : 'gif'
  const { extent, frames, loop } = await openAnimation(path, { format: source })
  const { size: bytes } = await stat(path)
  const facts: SourceFacts = {
    format: source,
    ...extent,
    frames,
    loop,
    alpha: true,
    orientation: 1,
    profile: 'none',
    bytes,
  }
  const offers: Made[] = []
  const made = await optimiseAnimation({
    path,
    facts,
    plan: {
      trim: false,
      resize: { kind: 'full' },
      background: { r: 255, g: 255, b: 255 },
      target: { kind: 'score', score: 70, preset: 'medium' },
      formats: [format],
      animated: true,
      neverLarger: format === source,
      mayGrow: false,
      limits: { maxBytes: 5e7, maxPixels: 1e8, maxSide: 10_000, maxTotalPixels: 1e9 },
      warnings: [],
      ...changes,
    },
    deadline,
    directory: await mkdtemp(join(tmpdir(), 'whittle-motion-')),
    offer: (offered) => offers.push(offered),
  })
  return { made, offers, facts }
}
