import { describe, expect, it } from 'vitest'
import { type Cause, type ChildExit, causeOf, failureAfter } from './child-exit.ts'

const LIMIT = 1000
const childExit = (changes: Partial<ChildExit>): ChildExit => ({
  signal: null,
  code: null,
  ready: true,
  memory: 100,
  ...changes,
})

describe('what a child died of', () => {
  it.each<[string, Partial<ChildExit>, Cause]>([
    ['a decoder that crashed', { signal: 'SIGSEGV' }, 'crash'],
    ['an assertion', { signal: 'SIGABRT' }, 'crash'],
    ['an uncaught error', { code: 1 }, 'crash'],
    ['a signal from outside', { signal: 'SIGKILL' }, 'outside'],
    ['a request from outside to end', { signal: 'SIGTERM' }, 'outside'],
    ['a program that cannot be loaded', { code: 1, ready: false }, 'start'],
    ['a signal from outside while it started', { signal: 'SIGKILL', ready: false }, 'start'],
    ['the memory that it took', { signal: 'SIGKILL', memory: 1001 }, 'memory'],
    ['memory that the system refused', { signal: 'SIGABRT', memory: 800 }, 'memory'],
  ])('%s', (_, changes, cause) => expect(causeOf(childExit(changes), LIMIT)).toBe(cause))
})

describe('what becomes of an image whose children die', () => {
  it.each<[string, readonly Cause[], string | undefined]>([
    ['is tried again after a crash', ['crash'], undefined],
    ['is damaged after two', ['crash', 'crash'], 'SOURCE_DAMAGED'],
    ['is not blamed for what others do', ['crash', 'outside', 'start'], undefined],
    ['is given up when all children are killed', ['outside', 'start', 'outside'], 'WORKERS_LOST'],
    ['is given up when none can start', ['start', 'start', 'start'], 'WORKERS_LOST'],
    ['is too complex at once', ['memory'], 'IMAGE_TOO_COMPLEX'],
  ])('it %s', (_, childExits, code) => expect(failureAfter(childExits, LIMIT)?.code).toBe(code))
})
