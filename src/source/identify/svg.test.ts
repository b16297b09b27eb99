import { describe, expect, it } from 'vitest'
import { readText } from './text.ts'

const size = (markup: string): string => {
  const { width, height } = readText(Buffer.from(markup))
  return `${width}x${height}`
}

describe('the drawn size of an SVG', () => {
  it.each([
    ['width="20" height="10"', '20x10'],
    ["width='20px' height = '10PX'", '20x10'],
    ['width="1in" height="2.54cm"', '96x96'],
    ['width="25.4mm" height="101.6Q"', '96x96'],
    ['width="72pt" height="6pc"', '96x96'],
    ['width="2em" height="4ex"', '32x32'],
    ['width="1e2" height=".5e2"', '100x50'],
    ['width="10.4" height="10.5"', '10x11'],
    ['width="0.1" height="0.1"', '1x1'],
    ['viewBox="0 0 40 30"', '40x30'],
    ['viewBox="0,0,40,30"', '40x30'],
    ['viewBox="-5 -5 40.4 30"', '40x30'],
    ['width="100%" height="100%" viewBox="0 0 40 30"', '40x30'],
    ['width="50%" height="50%" viewBox="0 0 40 30"', '20x15'],
    ['width="80" viewBox="0 0 40 30"', '80x60'],
    ['height="15" viewBox="0 0 40 30"', '20x15'],
    ['width="80" height="80" viewBox="0 0 40 30"', '80x80'],
    ['width="auto" height="calc(1px)" viewBox="0 0 40 30"', '40x30'],
    ['width="5ell" height="5constructor" viewBox="0 0 40 30"', '40x30'],
    ['style="fill:red; width:50px;height: 25px" width="1" height="1"', '50x25'],
    ['', '300x150'],
    ['width="80"', '80x150'],
    ['height="80"', '300x80'],
    ['viewBox="0 0 0 0"', '300x150'],
    ['viewBox="0 0 40"', '300x150'],
    ['viewBox="a b c d"', '300x150'],
    ['width="1e99" height="1"', '2147483647x1'],
  ])('%s is %s', (attributes, expected) => {
    expect(size(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}/>`)).toBe(expected)
  })

  it.each([
    'width="0" height="10"',
    'width="10" height="0px"',
    'width="-5" height="10"',
  ])('%s is damaged', (attributes) => {
    expect(() => size(`<svg ${attributes}/>`)).toThrow(expect.objectContaining({ code: 'SOURCE_DAMAGED' }))
  })
})

const SVG = '<svg width="4" height="3"></svg>'

describe('an SVG is recognised by its root tag', () => {
  it.each([
    ['alone', SVG],
    ['unfinished', '<svg width="4" height="3">'],
    ['with prefix', '<svg:svg xmlns:svg="http://www.w3.org/2000/svg" width="4" height="3"/>'],
    ['after white space', ` \r\n\t${SVG}`],
    ['after a byte order mark', `\ufeff${SVG}`],
    ['after a declaration', `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${SVG}`],
    ['after comments', `<!-- <svg width="1" height="1"> --><!-- > -->${SVG}`],
    ['after a style sheet', `<?xml-stylesheet href="a.css"?>${SVG}`],
    ['after a document type', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/a.dtd">${SVG}`],
    ['after entities', `<!DOCTYPE svg [<!ENTITY a "<b>]"> <!ENTITY c 'd'>\n]>${SVG}`],
    ['with entities of its own', '<!DOCTYPE svg [<!ENTITY w "4"><!ENTITY h "3">]><svg width="&w;" height="&h;"/>'],
    ['as XHTML might have it', `<!doctype html>${SVG}`],
    ['with odd attributes', `<svg a='"' b=">" width="4"\n\theight="3">`],
  ])('recognises an SVG: %s', (_what, markup) => {
    expect(size(markup)).toBe('4x3')
  })

  it.each([
    ['little endian', Buffer.from(`\ufeff${SVG}`, 'utf16le')],
    ['little endian, unmarked', Buffer.from(SVG, 'utf16le')],
    ['big endian', Buffer.from(`\ufeff${SVG}`, 'utf16le').swap16()],
    ['big endian, unmarked', Buffer.from(SVG, 'utf16le').swap16()],
    ['cut inside of a character', Buffer.concat([Buffer.from(`\ufeff${SVG}`, 'utf16le'), Buffer.of(1)])],
  ])('recognises an SVG in UTF-16, %s', (_what, bytes) => {
    expect(readText(bytes)).toMatchObject({ format: 'svg', width: 4, height: 3 })
  })
})

describe('the error for a text names its kind', () => {
  it.each([
    ['an HTML page', '<!DOCTYPE html><html lang="en">'],
    ['an HTML page', '\n<!-- a --><HTML>'],
    ['an HTML page', `<body>${SVG}</body>`],
    ['an HTML page', '<title>404</title>'],
    ['an HTML page', '<!doctype html>'],
    ['an XML document', '<?xml version="1.0"?><rss version="2.0">'],
    ['an XML document', '<Error><Code>AccessDenied</Code></Error>'],
    ['an XML document', '<!-- no end'],
    ['JSON', '{"error":"not found"}'],
    ['JSON', ' [ {"a":1} ]'],
    ['JSON', '{}'],
    ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:00'],
    ['PostScript', '%!PS-Adobe-3.0'],
    ['plain text', 'Not found'],
    ['plain text', 'überall'],
    ['data of an unknown kind', 'a\0b'],
    ['data of an unknown kind', '\x7f\x01\x02'],
  ])('names %s: %j', (found, text) => {
    expect(() => readText(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'NOT_AN_IMAGE', message: expect.stringContaining(`it looks like ${found}`) }),
    )
  })

  it.each([
    ['openings', '<'],
    ['comments', '<!--'],
    ['declarations', '<!DOCTYPE svg ['],
    ['entities', '<!DOCTYPE svg [<!ENTITY a "'],
    ['brackets', '<!DOCTYPE svg [ ]  '],
    ['quotes', '<svg a="'],
    ['attributes', '<svg a = '],
    ['white space', '  \n'],
  ])('a quarter of a megabyte of %s is read without delay', (_what, piece) => {
    const text = Buffer.from(piece.repeat(262_144 / piece.length))
    try {
      expect(readText(text).format).toBe('svg')
    } catch (error) {
      expect(error).toMatchObject({ code: 'NOT_AN_IMAGE' })
    }
  })
})

describe('hostile texts are read in linear time', () => {
  const entity = (value: string, root: string): string => `<!DOCTYPE svg [<!ENTITY e "${value}">]><svg ${root}/>`
  const digits = '1'.repeat(64_000)
  it.each([
    ['a width of 250,000 digits', `<svg width="${'1'.repeat(250_000)}" height="5"/>`, '300x5'],
    ['a width of digits and no unit', `<svg width="${'1'.repeat(4_000)}!" height="5"/>`, '300x5'],
    ['a width of blanks', `<svg width="1${' '.repeat(4_000)}!" height="5"/>`, '300x5'],
    ['a width of 64,000 digits by an entity', entity(digits, 'width="&e;" height="5"'), '300x5'],
    ['one of a gigabyte by entities', entity('1'.repeat(4_000), `width="${'&e;'.repeat(60_000)}" height="5"`), '300x5'],
    ['a style by entities', entity(' width'.repeat(600), `style="${'&e;'.repeat(1_000)}" width="7" height="5"`), '7x5'],
    ['a viewBox of blanks', `<svg viewBox="0${' '.repeat(200_000)}x" width="7" height="5"/>`, '7x5'],
  ])('reads %s without delay', (_name, markup, expected) => {
    const { width, height } = readText(Buffer.from(markup))
    expect(`${width}x${height}`).toBe(expected)
  })
})
