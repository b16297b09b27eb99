import type sax from 'sax'
import { MAX_HEADER_ITEMS } from '../../core/untrusted-header.ts'
import { openSax } from '../open-sax.ts'
import { cleanText, type Rights, type RightsField } from './fields.ts'

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

/** Namespaces by the prefixes that are written. */
const NAMESPACES = {
  dc: 'http://purl.org/dc/elements/1.1/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
  plus: 'http://ns.useplus.org/ldf/xmp/1.0/',
} as const
type Prefix = keyof typeof NAMESPACES

/** Form of a property (XMP specification part 1, section 7): an attribute, a list, alternatives by language, or of the first licensor. */
type Form = 'simple' | 'Seq' | 'Alt' | 'licensor'

const PROPERTIES: readonly {
  readonly field: RightsField
  readonly prefix: Prefix
  readonly name: string
  readonly form: Form
}[] = [
  { field: 'credit', prefix: 'photoshop', name: 'Credit', form: 'simple' },
  { field: 'marked', prefix: 'xmpRights', name: 'Marked', form: 'simple' },
  { field: 'webStatement', prefix: 'xmpRights', name: 'WebStatement', form: 'simple' },
  { field: 'creator', prefix: 'dc', name: 'creator', form: 'Seq' },
  { field: 'rights', prefix: 'dc', name: 'rights', form: 'Alt' },
  { field: 'usageTerms', prefix: 'xmpRights', name: 'UsageTerms', form: 'Alt' },
  { field: 'licensorName', prefix: 'plus', name: 'LicensorName', form: 'licensor' },
  { field: 'licensorUrl', prefix: 'plus', name: 'LicensorURL', form: 'licensor' },
]

type Property = (typeof PROPERTIES)[number]

const BY_NAME: ReadonlyMap<string, Property> = new Map(
  PROPERTIES.map((property) => [`${NAMESPACES[property.prefix]}${property.name}`, property]),
)

/** Maximum characters that are parsed. Photo editors store histories of megabytes in XMP, after the rights. */
const MAX_CHARACTERS = 500_000

/** Collects values by field. Each list item begins a new value. */
const openValues = () => {
  const values = new Map<RightsField, string[]>()
  const listOf = (field: RightsField): string[] => {
    const list = values.get(field) ?? []
    values.set(field, list)
    return list
  }
  return {
    begin: (field: RightsField): void => void listOf(field).push(''),
    append: (field: RightsField, text: string): void => {
      const known = listOf(field)
      known.push((known.pop() ?? '') + text)
    },
    /** Keeps the first of texts in several languages, and of several licensors. */
    settled: (): Rights =>
      new Map(
        [...values].flatMap(([field, texts]) => {
          const clean = texts.map(cleanText).filter((text) => text !== '')
          const form = PROPERTIES.find((property) => property.field === field)?.form
          const kept = form === 'Seq' ? clean : clean.slice(0, 1)
          return kept.length === 0 ? [] : [[field, kept] as const]
        }),
      ),
  }
}

/** The rights in an XMP packet, up to any damage. Linear in its length. Does not expand entities. */
export const readXmpRights = (packet: Uint8Array): Rights => {
  const text = Buffer.from(packet.buffer, packet.byteOffset, packet.length).toString('utf8')
  const values = openValues()
  /** The property of each open element. Elements of RDF have that of the element around them. */
  const open: (Property | undefined)[] = []
  const current = (): Property | undefined => open.at(-1)
  const parser = openSax()
  parser.onopentag = (tag) => {
    const { uri, local, attributes } = tag as sax.QualifiedTag
    const property = BY_NAME.get(uri + local)
    if (uri === RDF && local === 'li') {
      const list = current()
      if (list !== undefined) values.begin(list.field)
    }
    for (const { uri: space, local: name, value } of Object.values(attributes)) {
      const field = space === RDF && name === 'resource' ? property?.field : BY_NAME.get(space + name)?.field
      if (field !== undefined) values.append(field, value)
    }
    if (open.length === MAX_HEADER_ITEMS) throw new RangeError('It is nested too deep.')
    open.push(uri === RDF ? current() : property)
  }
  parser.onclosetag = () => void open.pop()
  parser.ontext = (piece) => {
    const property = current()
    if (property !== undefined) values.append(property.field, piece)
  }
  try {
    parser.write(text.slice(0, MAX_CHARACTERS)).close()
  } catch {
    // Damage, or the end of the parsed part.
  }
  return values.settled()
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
])

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => ESCAPES.get(char) ?? char)

const nameOf = ({ prefix, name }: Property): string => `${prefix}:${name}`

const item = (text: string, language = ''): string => `<rdf:li${language}>${escaped(text)}</rdf:li>`

const listed = (property: Property, form: 'Seq' | 'Alt', texts: readonly string[]): string => {
  const items = texts.map((text) => item(text, form === 'Alt' ? ' xml:lang="x-default"' : ''))
  return `<${nameOf(property)}><rdf:${form}>${items.join('')}</rdf:${form}></${nameOf(property)}>`
}

const licensor = (given: readonly (readonly [Property, readonly string[]])[]): string => {
  if (given.length === 0) return ''
  const facts = given.map(([property, [text = '']]) => `<${nameOf(property)}>${escaped(text)}</${nameOf(property)}>`)
  return `<plus:Licensor><rdf:Seq><rdf:li rdf:parseType="Resource">${facts.join('')}</rdf:li></rdf:Seq></plus:Licensor>`
}

/** An XMP packet with these rights, without wrapper. undefined when it would be empty. */
export const writeXmpRights = (rights: Rights): Buffer | undefined => {
  const given = PROPERTIES.flatMap((property) => {
    const texts = rights.get(property.field)
    return texts === undefined ? [] : [[property, texts] as const]
  })
  if (given.length === 0) return undefined
  const ofForm = (form: Form) => given.filter(([property]) => property.form === form)
  const prefixes = [...new Set(given.map(([{ prefix }]) => prefix))]
  const spaces = prefixes.map((prefix) => ` xmlns:${prefix}="${NAMESPACES[prefix]}"`).join('')
  const simple = ofForm('simple').map(([property, [text = '']]) => ` ${nameOf(property)}="${escaped(text)}"`)
  const lists = (['Seq', 'Alt'] as const).flatMap((form) =>
    ofForm(form).map(([property, texts]) => listed(property, form, texts)),
  )
  const description = `<rdf:Description rdf:about=""${spaces}${simple.join('')}>${lists.join('')}${licensor(ofForm('licensor'))}</rdf:Description>`
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}">${description}</rdf:RDF></x:xmpmeta>`
  return Buffer.from(packet, 'utf8')
}
