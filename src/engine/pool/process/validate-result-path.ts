import { basename, dirname, isAbsolute } from 'node:path'
import type { Job, Made } from '../../../core/outcome.ts'
import type { Plan } from '../../../plan/plan.ts'

/**
 * Whether a result that a child names is a file of its job's directory, or the source itself. A child works on what strangers
 * sent: one that was taken over must not have any other file sent out.
 */
export const isOwnResult = ({ path }: Pick<Made, 'path'>, job: Pick<Job<Plan>, 'path' | 'directory'>): boolean =>
  typeof path === 'string' &&
  isAbsolute(path) &&
  (path === job.path || (dirname(path) === job.directory && basename(path) !== '..' && !path.includes('\0')))
