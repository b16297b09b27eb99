import { describe, expect, it } from 'vitest'
import { SNIPPETS, type SnippetName, type SnippetRequest } from './snippets.ts'

const request = (more: Partial<SnippetRequest>): SnippetRequest => ({
  base: 'http://127.0.0.1:8080',
  account: 'shop',
  needsKey: false,
  list: 'full',
  image: { url: 'https://example.com/a.png' },
  saveAs: 'a.jpg',
  ...more,
})
const names = Object.keys(SNIPPETS) as SnippetName[]

describe('a snippet', () => {
  it.each(names)('%s reads the access key from the environment if the account has one', (name) => {
    for (const image of [{ url: 'https://example.com/a.png' }, { file: 'a.png' }]) {
      const keyed = SNIPPETS[name].write(request({ needsKey: true, image }))
      expect(keyed).toMatch(/Authorization: Bearer|authorization: `Bearer|"Authorization": "Bearer/)
      expect(keyed).toContain('WHITTLE_KEY')
      expect(SNIPPETS[name].write(request({ image }))).not.toContain('WHITTLE_KEY')
    }
  })
})
