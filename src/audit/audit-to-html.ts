import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeDirectory } from '../support/remove.ts'
import { type Audit, type AuditSettings, audit } from './audit.ts'
import { htmlReport } from './html-report.ts'

/** Runs an audit. Returns its report, and the report as HTML. `views`: page views per month. */
export const auditToHtml = async (
  target: string,
  settings: Omit<AuditSettings, 'keepIn'>,
  views: number,
): Promise<{ readonly report: Audit; readonly html: string }> => {
  const keepIn = await mkdtemp(join(tmpdir(), 'whittle-audit-'))
  try {
    const report = await audit(target, { ...settings, keepIn })
    return { report, html: await htmlReport(report, views, keepIn) }
  } finally {
    await removeDirectory(keepIn)
  }
}
