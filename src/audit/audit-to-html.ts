import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeDirectory } from '../support/remove.ts'
import { type Audit, type AuditSettings, audit } from './audit.ts'
import { htmlReport } from './html-report.ts'

/** Audits as `audit` does; returns the report, and the HTML file of it as text. `views` are page views a month. */
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
