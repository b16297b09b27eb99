import { describe, expect, it } from 'vitest'
import { type Head, judgeHeads, summariseHeads } from '../../bench/crop/heads.ts'

const IMAGE = { width: 200, height: 100 }
/** A window of the whole height that shows half of the width. */
const from = (left: number) => ({ left, top: 0, width: 100, height: 100 })
/** A window of the whole width that shows half of the height. */
const below = (top: number) => ({ left: 0, top, width: 200, height: 50 })

const NONE = { heads: 1, cut: 0, missed: 0, cutOfMany: 0, leftOut: 0 }
const HEAD: Head = [0.2, 0.3, 0.3, 0.5]

describe('heads that a window cuts', () => {
  it('are counted along the side on which it could lie elsewhere', () => {
    expect(judgeHeads([HEAD], from(40), IMAGE)).toEqual(NONE)
    expect(judgeHeads([HEAD], from(50), IMAGE)).toEqual({ ...NONE, cut: 1 })
    expect(judgeHeads([HEAD], below(30), IMAGE)).toEqual(NONE)
    expect(judgeHeads([HEAD], below(40), IMAGE)).toEqual({ ...NONE, cut: 1 })
  })

  it('may lack as much as labels are exact to, on either side', () => {
    const wide: Head = [0.1, 0.3, 0.5, 0.5]
    expect(judgeHeads([wide], from(24), IMAGE).cut).toBe(0)
    expect(judgeHeads([wide], from(26), IMAGE).cut).toBe(1)
    expect(judgeHeads([[0.3, 0.3, 0.7, 0.5]], from(34), IMAGE).cut).toBe(1)
    expect(judgeHeads([[0.3, 0.3, 0.7, 0.5]], from(36), IMAGE).cut).toBe(0)
  })

  it('are missed where less than a tenth is shown', () => {
    expect(judgeHeads([HEAD], from(58), IMAGE)).toEqual({ ...NONE, cut: 1 })
    expect(judgeHeads([HEAD], from(59), IMAGE)).toEqual({ ...NONE, missed: 1 })
    expect(judgeHeads([HEAD], from(100), IMAGE)).toEqual({ ...NONE, missed: 1 })
  })

  it('do not count where no window of the shape could hold them', () => {
    expect(judgeHeads([[0.1, 0.3, 0.7, 0.5]], from(0), IMAGE)).toEqual({ ...NONE, heads: 0 })
    expect(judgeHeads([[0.1, 0.3, 0.7, 0.5]], below(30), IMAGE)).toEqual(NONE)
  })

  it('count apart where not all of the picture fit together', () => {
    const far: Head = [0.8, 0.3, 0.9, 0.5]
    expect(judgeHeads([HEAD, far], from(0), IMAGE)).toEqual({ ...NONE, heads: 2, leftOut: 1 })
    expect(judgeHeads([HEAD, far], from(50), IMAGE)).toEqual({ ...NONE, heads: 2, cutOfMany: 1, leftOut: 1 })
    expect(judgeHeads([HEAD, [0.6, 0.3, 0.69, 0.5]], from(0), IMAGE)).toEqual({ ...NONE, heads: 2, missed: 1 })
  })

  it('are summed up over windows', () => {
    const shown = [from(0), from(50), from(100)].map((window) => judgeHeads([HEAD], window, IMAGE))
    expect(summariseHeads(shown)).toBe(
      'of 3 heads 1 cut and 1 left out where all would fit; where not all do 0 cut, 0 left out',
    )
  })
})
