import { extensionOf } from '../../core/file-extension.ts'
import { CONTENT_TYPES, type SourceFacts } from '../../core/image.ts'
import type { Answer, ImageAnswer } from '../../jobs/answer.ts'
import type { JobResult } from '../../jobs/single-flight.ts'
import { printPoint } from '../../options/print.ts'
import { variesByAccept } from '../../plan/choose-formats.ts'
import type { Account } from '../../ports/accounts.ts'
import type { Served } from '../../ports/telemetry.ts'
import type { Task } from '../task.ts'
import { contentDisposition, resultFileName } from './file-name.ts'

const factsOf = (file: JobResult['file'], facts: SourceFacts): Record<string, string> => ({
  'x-source-bytes': String(facts.bytes),
  'x-encodes': String(file.encodes),
  ...(file.score === undefined ? {} : { 'x-score': file.score.toFixed(2) }),
  ...(file.butteraugli === undefined ? {} : { 'x-butteraugli': file.butteraugli.toFixed(3) }),
  ...(file.loopCount === undefined ? {} : { 'x-loop-count': String(file.loopCount) }),
  ...(file.focus === undefined ? {} : { 'x-focus': printPoint(file.focus) }),
})

/** The Warning of a quick result (§8.2), which depends on whether its quality was measured. */
const quickWarning = ({ meetsTarget, score }: JobResult['file']): string => {
  if (meetsTarget === true)
    return 'This is a quick first result, which keeps the quality asked for. A smaller one may follow: ask again in a minute.'
  const what = score === undefined ? 'was not measured' : `may be below what was asked for (score ${score.toFixed(1)})`
  return `This is a quick first result, whose quality ${what}. The searched result follows: ask again in a minute.`
}

/** Returns the Warning of a result whose search had too little time. Advises a longer timeout only if one is allowed. */
const cutShort = ({ options, maxTimeout, quickAfterMs }: Task, file: JobResult['file']): string => {
  if (quickAfterMs !== undefined) return quickWarning(file)
  const warning = `timeout=${options.timeout} left no time to search further: this is the best result so far.`
  return options.timeout < maxTimeout ? `${warning} Raise it for a smaller one.` : warning
}

/** The answer for a new result, with the warnings about the result itself. */
export const answerFor = (task: Task, result: JobResult): ImageAnswer => ({
  kind: 'image',
  contentType: CONTENT_TYPES[result.file.format],
  body: result.body,
  bytes: result.body.length,
  etag: result.etag,
  warnings: [...result.file.warnings, ...(result.file.cutShort === true ? [cutShort(task, result.file)] : [])],
  stages: result.stages,
  facts: factsOf(result.file, task.facts),
  variesByAccept: variesByAccept(task.options),
})

/** The facts of an answer that metrics count. */
export const servedOf = (account: Account, sourceBytes: number, answer: ImageAnswer): Served => ({
  account: account.username,
  stored: answer.stored === true,
  sourceBytes,
  resultBytes: answer.bytes,
})

/** Returns Content-Disposition with the file name of the address or upload, or `image` without one. */
export const savedAs = (source: string, { contentType }: ImageAnswer): Record<string, string> => {
  const extension = extensionOf(contentType)
  return extension === undefined ? {} : { 'content-disposition': contentDisposition(resultFileName(source, extension)) }
}

/** The remaining quota of an account, after this image if it is charged. */
export const quotaLeft = (account: Account, charge: boolean): Record<string, string> =>
  account.quota === undefined
    ? {}
    : { 'x-quota-remaining': String(Math.max(0, account.quota - account.used - (charge ? 1 : 0))) }

/** Step 6: adds the warnings, stages and cacheability of this request to the answer. */
export const respond = (task: Task, answer: Answer, charge: boolean): Answer => {
  const warnings = [...task.warnings, ...task.plan.warnings, ...answer.warnings]
  const stages = { ...task.stages, ...answer.stages }
  if (answer.kind === 'redirect') return { ...answer, warnings, stages }
  const { cacheControl } = task.spooled.cacheability
  const source = task.url?.pathname ?? task.spooled.fileName ?? ''
  const facts = { ...answer.facts, ...savedAs(source, answer), ...quotaLeft(task.account, charge) }
  return {
    ...answer,
    facts,
    warnings,
    stages,
    variesByAccept: variesByAccept(task.options),
    ...(cacheControl === undefined ? {} : { cacheControl }),
  }
}
