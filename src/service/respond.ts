import { CONTENT_TYPES, type SourceFacts } from '../core/image.ts'
import type { Answer, ImageAnswer } from '../jobs/answer.ts'
import { etagOf } from '../jobs/recall.ts'
import type { JobResult } from '../jobs/single-flight.ts'
import { printPoint } from '../options/print.ts'
import type { Task } from './task.ts'

const factsOf = (made: JobResult['made'], facts: SourceFacts): Record<string, string> => ({
  'x-source-bytes': String(facts.bytes),
  'x-encodes': String(made.encodes),
  ...(made.score === undefined ? {} : { 'x-score': made.score.toFixed(2) }),
  ...(made.loopCount === undefined ? {} : { 'x-loop-count': String(made.loopCount) }),
  ...(made.focus === undefined ? {} : { 'x-focus': printPoint(made.focus) }),
})

/** What is said of a result whose search had too little time; advice only where it can be taken. */
const cutShort = ({ options, maxTimeout }: Task): string => {
  const said = `timeout=${options.timeout} left no time to search further: this is the best result so far.`
  return options.timeout < maxTimeout ? `${said} Raise it for a smaller one.` : said
}

/** The answer for a result that was made, with the warnings that belong to the result itself. */
export const answerFor = (task: Task, result: JobResult): ImageAnswer => ({
  kind: 'image',
  contentType: CONTENT_TYPES[result.made.format],
  body: result.body,
  bytes: result.body.length,
  etag: etagOf(result.body),
  warnings: [...result.made.warnings, ...(result.made.cutShort === true ? [cutShort(task)] : [])],
  stages: result.stages,
  facts: factsOf(result.made, task.facts),
  variesByAccept: task.options.format === 'auto',
})

/** Step 6: the answer with what belongs to this request alone: its own warnings and stages, its source's cacheability. */
export const respond = (task: Task, answer: Answer): Answer => {
  const warnings = [...task.warnings, ...task.plan.warnings, ...answer.warnings]
  const stages = { ...task.stages, ...answer.stages }
  if (answer.kind === 'redirect') return { ...answer, warnings, stages }
  const { cacheControl } = task.spooled.cacheability
  const variesByAccept = task.options.format === 'auto'
  return { ...answer, warnings, stages, variesByAccept, ...(cacheControl === undefined ? {} : { cacheControl }) }
}
