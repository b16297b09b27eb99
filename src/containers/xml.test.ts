import { describe, expect, it } from 'vitest'
import { expandReferences, readProlog } from './xml.ts'

const endOf = (text: string): string => text.slice(readProlog(text).end)

describe('what stands before the first tag', () => {
  it.each([
    ['nothing', '<svg/>'],
    ['white space', ' \r\n\t<svg/>'],
    ['a declaration and a comment', '<?xml version="1.0"?>\n<!-- <a> -- ]> --><svg/>'],
    ['a document type', '<!DOCTYPE svg><svg/>'],
    ['one in small letters', '<!doctype svg><svg/>'],
    ['one that quotes its own end', `<!DOCTYPE svg PUBLIC "a>b" 'c[d'><svg/>`],
    ['a subset whose comment holds its end', '<!DOCTYPE svg [<!-- ]> -->]><svg/>'],
    ['a subset whose string holds its end', '<!DOCTYPE svg [<!ENTITY a "]>">] ><svg/>'],
    ['a subset with a processing instruction', '<!DOCTYPE svg [<?x ]> ?> %p; ]><svg/>'],
  ])('skips a prolog with %s', (_name, text) => {
    expect(endOf(text)).toBe('<svg/>')
  })

  it.each([
    '<!DOCTYPE svg [<!ENTITY a "',
    '<!DOCTYPE svg "',
    '<!DOCTYPE svg [ <!-- ',
    '<!-- never closed <svg/>',
    '<?never closed <svg/>',
    '<![CDATA[ ]]><svg/>',
  ])('%s is not passed over', (text) => {
    expect(readProlog(text)).toEqual({ end: 0 })
  })

  it('reads the first document type only', () => {
    const second = '<!DOCTYPE b [<!ENTITY x "2">]><svg/>'
    expect(endOf(`<!DOCTYPE a [<!ENTITY x "1">]>${second}`)).toBe(second)
  })

  it('the first declaration of a name counts, outside of comments; external and parameter entities are none', () => {
    const subset = `<!ENTITY a "1"><!ENTITY a "2"><!-- <!ENTITY c "3"> --><!ENTITY d SYSTEM "file:///x"><!ENTITY % e "5"><!ENTITY f '<g/>'>`
    expect(readProlog(`<!DOCTYPE svg [${subset}]>`).doctype?.entities).toEqual(
      new Map([
        ['a', '1'],
        ['f', '<g/>'],
      ]),
    )
  })
})

describe('references to entities', () => {
  const entities = new Map([
    ['a', 'one'],
    ['b', '&a;+&a;'],
    ['self', 'x&self;y'],
    ['empty', ''],
    ['hidden', '<!-- &a; -->'],
  ])

  it.each([
    ['&a;', 'one'],
    ['-&b;-', '-one+one-'],
    ['&self;', 'xy'],
    ['&empty;&unknown;&SYSTEM;', ''],
    ['&amp;&lt;&#60;&#x3c;', '&amp;&lt;&#60;&#x3c;'],
    ['& a; && &a', '& a; && &a'],
    ['<![CDATA[&a;]]>&a;<!--&a;--><?x &a;?>', '<![CDATA[&a;]]>one<!--&a;--><?x &a;?>'],
    ['&hidden;', '<!-- &a; -->'],
    ['&a;<!-- &a; never closed', 'one<!-- &a; never closed'],
    ['<g title="&a;"/>', '<g title="one"/>'],
  ])('%s becomes %s', (text, expected) => {
    expect(expandReferences(text, entities, 1000)).toBe(expected)
  })

  it('references are expanded up to the limit', () => {
    const many = '&a;'.repeat(10)
    expect(expandReferences(many, entities, 40)).toBe('one'.repeat(10))
    expect(expandReferences(many, entities, 39)).toBeUndefined()
  })

  it('a billion laughs end at the limit', () => {
    const laughs = new Map(Array.from({ length: 12 }, (_, i) => [`l${i}`, `&l${i + 1};`.repeat(10)] as const))
    expect(expandReferences('&l0;', laughs, 2_000_000)).toBeUndefined()
  })

  it('a long chain of entities is not followed', () => {
    const chain = new Map(Array.from({ length: 100_000 }, (_, i) => [`l${i}`, `&l${i + 1};`] as const))
    expect(expandReferences('&l0;', chain, 2_000_000)).toBeUndefined()
  })
})

describe('what would take a pattern for ever', () => {
  const MANY = 1_000_000
  it.each([
    ['quotes in a document type', `<!DOCTYPE svg ${'""'.repeat(MANY)}`],
    ['declarations in one', `<!DOCTYPE svg [${'<!ENTITY'.repeat(MANY / 8)}`],
    ['brackets in one', `<!DOCTYPE svg [${']'.repeat(MANY)}`],
    ['dashes and brackets in one', `<!DOCTYPE svg [${'<a"'.repeat(MANY)}`],
    ['comments that never end', '<!--'.repeat(MANY)],
    ['white space', ' '.repeat(MANY)],
  ])('%s are read at once', (_name, text) => {
    expect(readProlog(text).end).toBeGreaterThanOrEqual(0)
  })

  it.each([
    ['comments that never end', '<!--'.repeat(MANY)],
    ['sections that never end', '<![CDATA['.repeat(MANY / 4)],
    ['ampersands', '&'.repeat(MANY)],
    ['names that never end', '&a'.repeat(MANY)],
  ])('%s hold no reference', (_name, text) => {
    expect(expandReferences(text, new Map([['a', 'x']]), 100)).toBe(text)
  })
})
