import { expandReferences, readProlog } from '../containers/xml.ts'
import { fail } from '../core/failure.ts'
import { SVG_LIMITS } from './limits.ts'

export interface Expanded {
  readonly markup: string
  readonly hadDoctype: boolean
}

/**
 * Removes the DOCTYPE and expands internal entities. External and unknown ones become empty. Fails with SVG_TOO_COMPLEX when they add too
 * much text or nest too deep.
 */
export const expandEntities = (markup: string): Expanded => {
  const { doctype } = readProlog(markup)
  const body = doctype === undefined ? markup : markup.slice(0, doctype.start) + markup.slice(doctype.end)
  const expanded = expandReferences(body, doctype?.entities ?? new Map(), SVG_LIMITS.entityText)
  if (expanded === undefined) throw fail('SVG_TOO_COMPLEX', 'its entities expand to too much text')
  return { markup: expanded, hadDoctype: doctype !== undefined }
}
