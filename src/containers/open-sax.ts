/** Opens the XML parser `sax` so that it takes time linear in the length of any document. */
import sax from 'sax'

/** A strict parser with namespaces and without positions. */
export const openSax = (options: sax.SAXOptions = {}): sax.SAXParser => {
  const parser = sax.parser(true, { ...options, xmlns: true, position: false })
  // For each attribute, sax searches its list of pairs for a name. A pair never equals a name, and long lists take quadratic time.
  Object.assign((parser as unknown as { readonly attribList: unknown[] }).attribList, { indexOf: () => -1 })
  return parser
}
