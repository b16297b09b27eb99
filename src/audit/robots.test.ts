import { expect, it } from 'vitest'
import { readRobots } from './robots.ts'

const AT = 'https://a.example/robots.txt'

it('applies the rules for our name, or without them those for all programs', () => {
  const text =
    'User-agent: *\nDisallow: /all\nCrawl-delay: 3\n\nUser-agent: WhittleAudit\nDisallow: /us\nAllow: /us/fine\n'
  const ours = readRobots(AT, text, 'WhittleAudit')
  expect(['/all', '/us/a', '/us/fine/a'].map((path) => ours.allows(`https://a.example${path}`))).toEqual([
    true,
    false,
    true,
  ])
  const others = readRobots(AT, text, 'Other')
  expect([others.allows('https://a.example/all'), others.pauseSeconds]).toEqual([false, 3])
})

it('allows everything without rules', () => {
  expect(readRobots(AT, '', 'WhittleAudit').allows('https://a.example/x')).toBe(true)
})
