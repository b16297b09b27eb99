import { basename, dirname, isAbsolute } from 'node:path'
import type { Job, ResultFile } from '../../../core/outcome.ts'
import type { Plan } from '../../../plan/plan.ts'

/**
 * Whether the path of a result is a file of the job's directory, or the source itself. A hostile image may take control of a child,
 * which must not be able to send any other file.
 */
export const isOwnResult = ({ path }: Pick<ResultFile, 'path'>, job: Pick<Job<Plan>, 'path' | 'directory'>): boolean =>
  typeof path === 'string' &&
  isAbsolute(path) &&
  (path === job.path || (dirname(path) === job.directory && basename(path) !== '..' && !path.includes('\0')))
