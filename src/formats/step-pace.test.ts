import { expect, it } from 'vitest'
import { openStepPace } from './step-pace.ts'

it('a step of one pixel says little about the steps of a photograph', () => {
  const pace = openStepPace()
  pace.took(0.000_35, 20)
  expect(pace.expected(350)).toBeLessThan(700)
})

it('expected times follow the steps that ended', () => {
  const pace = openStepPace()
  for (let i = 0; i < 10; i++) pace.took(350, 1050)
  expect(pace.expected(350) / 1050).toBeCloseTo(1, 1)
})
