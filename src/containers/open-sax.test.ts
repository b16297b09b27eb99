import type sax from 'sax'
import { expect, it, vi } from 'vitest'
import { openSax } from './open-sax.ts'

const attributesOf = (text: string): Readonly<Record<string, string>> => {
  const parser = openSax()
  const found: Record<string, string> = {}
  parser.onopentag = ({ attributes }) => {
    for (const { name, value } of Object.values(attributes as sax.QualifiedTag['attributes'])) found[name] = value
  }
  parser.write(text).close()
  return found
}

it('searches no list for the name of an attribute, so that an element of many takes linear time', () => {
  using search = vi.spyOn(Array.prototype, 'indexOf')
  expect(attributesOf('<a b="1" c="2" d="3"/>')).toEqual({ b: '1', c: '2', d: '3' })
  expect(search).not.toHaveBeenCalledWith('d')
})

it('keeps attributes of every namespace', () => {
  expect(attributesOf('<a xmlns:n="http://n.example/" b="1" n:b="2"/>')).toMatchObject({ b: '1', 'n:b': '2' })
})
