import { expect, it } from 'vitest'
import { fail } from '../core/failure.ts'
import { openTroubleLog } from './trouble-log.ts'

it('logs consequences of an outage at debug, and other problems at their level', () => {
  const lines: string[] = []
  const note = (level: string) => (_: unknown, message: string) => void lines.push(`${level} ${message}`)
  const log = openTroubleLog({ debug: note('debug'), warn: note('warn'), error: note('error') }, 'error')
  log('not settled', fail('STORE_AWAY'))
  log('not settled', new Error('a syntax error'))
  expect(lines).toEqual(['debug not settled', 'error not settled'])
})
