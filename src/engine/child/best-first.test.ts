import { describe, expect, it } from 'vitest'
import type { Step } from '../../formats/format.ts'
import { searchBestFirst } from './best-first.ts'

/** Estimates are numbers; a candidate is the number of its bytes in a string. */
type Script = readonly (number | string)[]

/** Runs searches by name. Returns their steps in order, with the names of those that ended or were abandoned. */
const run = async (
  scripts: Readonly<Record<string, Script>>,
  isOver = (_best: number): boolean => false,
  log: string[] = [],
) => {
  let best = Number.POSITIVE_INFINITY
  async function* search(name: string, script: Script): AsyncGenerator<Step> {
    try {
      for (const step of script) {
        log.push(`${name} ${step}`)
        if (typeof step === 'number') yield { kind: 'estimate', bytes: step }
        else yield { kind: 'candidate', format: 'png', bytes: new Uint8Array(Number(step)), lossless: false }
      }
    } finally {
      log.push(`${name} closed`)
    }
  }
  await searchBestFirst(
    Object.entries(scripts).map(([name, script]) => search(name, script)),
    {
      bytesToBeat: () => best,
      offer: async ({ bytes }) => {
        best = Math.min(best, bytes.length)
      },
      isOver: () => isOver(best),
    },
  )
  return { log, best }
}

describe('the best-first search', () => {
  it('finishes the first search before it starts a second one where there are no estimates', async () => {
    const { log } = await run({ a: ['9', '8'], b: ['7'] })
    expect(log).toEqual(['a 9', 'a 8', 'a closed', 'b 7', 'b closed'])
  })

  it('resumes the search with the lowest estimate', async () => {
    const { log, best } = await run({ a: ['90', 50, '40'], b: [30, '35'] })
    expect(log).toEqual(['a 90', 'a 50', 'b 30', 'b 35', 'b closed', 'a closed'])
    expect(best).toBe(35)
  })

  it('returns to a search whose estimate has become the lowest', async () => {
    const { log } = await run({ a: ['90', 50, '40'], b: [30, 60, '35'] })
    expect(log).toEqual(['a 90', 'a 50', 'b 30', 'b 60', 'a 40', 'a closed', 'b closed'])
  })

  it('closes a search in the middle and starts no other when it is over', async () => {
    const { log } = await run({ a: ['5', '4'], b: ['3'] }, (best) => best === 5)
    expect(log).toEqual(['a 5', 'a closed'])
  })

  it('closes the other searches when one fails', async () => {
    const log: string[] = []
    // An array of negative length fails.
    await expect(run({ a: ['90', 50], b: ['-1'] }, undefined, log)).rejects.toThrow(RangeError)
    expect(log).toEqual(['a 90', 'a 50', 'b -1', 'b closed', 'a closed'])
  })
})
