import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job, ResultFile } from '../../core/outcome.ts'
import type { Plan } from '../../plan/plan.ts'
import type { OptimisedSvg } from '../../svg/optimise-svg.ts'
import { loadSvg } from './load-svg.ts'
import type { Report } from './report.ts'

/** Optimises an SVG as SVG (§4.4): sanitises it first, then minifies it while the drawing remains the same. */
export const optimiseMarkup = async ({ path, facts, directory }: Job<Plan>, report: Report): Promise<ResultFile> => {
  const keep = async (name: string, svg: OptimisedSvg): Promise<ResultFile> => {
    const file = join(directory, name)
    await writeFile(file, svg.markup)
    const result: ResultFile = {
      format: 'svg',
      path: file,
      bytes: Buffer.byteLength(svg.markup),
      width: facts.width,
      height: facts.height,
      frames: 1,
      encodes: 0,
      warnings: svg.warnings,
      meetsTarget: true,
      ...(svg.cutShort === true ? { cutShort: true } : {}),
    }
    return svg.score === undefined ? result : { ...result, score: svg.score }
  }
  const { optimiseSvg } = await loadSvg()
  let offering: Promise<void> | undefined
  const optimised = await optimiseSvg({
    path,
    facts,
    deadline: report.deadline,
    stage: report.stage,
    offer: (svg) => {
      offering = keep('sanitised.svg', svg).then(report.offer)
    },
  })
  await offering
  return keep('optimised.svg', optimised)
}
