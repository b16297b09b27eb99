import { describe, expect, it } from 'vitest'
import { MAX_ROBOTS_BYTES, readRobots } from './robots.ts'

const at = (path: string): string => `https://a.example${path}`

const allowed = (text: string, paths: readonly string[]): readonly string[] => {
  const robots = readRobots(text, 'WhittleAudit')
  return paths.filter((path) => robots.allows(at(path)))
}

it('applies the rules for our name, or without them those for all programs', () => {
  const text =
    'User-agent: *\nDisallow: /all\nCrawl-delay: 3\n\nUser-agent: WhittleAudit\nDisallow: /us\nAllow: /us/fine\n'
  const ours = readRobots(text, 'WhittleAudit')
  expect(['/all', '/us/a', '/us/fine/a'].map((path) => ours.allows(at(path)))).toEqual([true, false, true])
  const others = readRobots(text, 'Other')
  expect([others.allows(at('/all')), others.pauseSeconds]).toEqual([false, 3])
})

it('allows everything without rules', () => {
  expect(allowed('', ['/x'])).toEqual(['/x'])
  expect(allowed('User-agent: *\nDisallow:', ['/x'])).toEqual(['/x'])
})

it.each([
  ['/a', ['/', '/b']],
  ['/a$', ['/', '/b', '/a/', '/a/b', '/ab']],
  ['*b', ['/', '/a', '/a/']],
  ['*b$', ['/', '/a', '/a/']],
  ['/a*/', ['/', '/b', '/a', '/ab']],
  ['/*a*b', ['/', '/b', '/a', '/a/']],
])('forbids the paths of the pattern %s', (pattern, others) => {
  expect(allowed(`User-agent: *\nDisallow: ${pattern}`, ['/', '/b', '/a', '/a/', '/a/b', '/ab'])).toEqual(others)
})

it('compares characters as they are encoded in addresses', () => {
  const paths = ['/%C3%A9', '/%c3%a9', '/e']
  expect(allowed('User-agent: *\nDisallow: /\u00e9', paths)).toEqual(['/e'])
  expect(allowed('User-agent: *\nDisallow: /%c3%A9', paths)).toEqual(['/e'])
})

it('prefers the longest pattern, and of equal ones that which allows', () => {
  expect(allowed('User-agent: *\nAllow: /a\nDisallow: /a\nDisallow: /ab', ['/a', '/ab'])).toEqual(['/a'])
})

it('reads names in a row as one group, and ignores versions, case and comments', () => {
  const text =
    'user-AGENT: Other\n# a comment\n\nUser-agent: whittleaudit/2.0 # ours\n Disallow : /a # why\nNoindex: /\nDisallow: /b'
  expect(allowed(text, ['/a', '/b', '/c'])).toEqual(['/c'])
})

describe('a file of the maximum size', () => {
  const filled = (head: string, line: string): string =>
    head + line.repeat((MAX_ROBOTS_BYTES - head.length) / line.length)

  it('has one group however often it names a program', () => {
    const text = filled('User-agent: *\n'.repeat(15_000), 'Disallow: /b\n')
    expect(allowed(text, ['/a', '/b'])).toEqual(['/a'])
  })

  it('may be one pattern of wildcards', () => {
    expect(allowed(filled('User-agent: *\nDisallow: /', '*a'), ['/a'.repeat(2_000), '/b'])).toHaveLength(2)
  })

  it('has no rules behind its end', () => {
    expect(allowed(`${filled('User-agent: *\n', '#\n')}\nDisallow: /a`, ['/a'])).toEqual(['/a'])
  })
})
