import { describe, expect, it } from 'vitest'
import { fuse } from './boxes.ts'

const box = (x: number, score: number) => ({ x, y: 0.2, width: 0.4, height: 0.4, score })

const HALF = { overlap: 0.5, faintest: 0 }

describe('fuse', () => {
  it('averages boxes of one thing and keeps the largest score', () => {
    const [one, ...others] = fuse([[box(0.1, 0.6), box(0.14, 0.6)]], HALF)
    expect(others).toEqual([])
    expect(one!.x).toBeCloseTo(0.12, 9)
    expect([one!.score, one!.width]).toEqual([0.6, expect.closeTo(0.4, 9)])
  })

  it('gives the same average when the two best boxes swap ranks', () => {
    const [one] = fuse([[box(0.1, 0.601), box(0.16, 0.6)]], HALF)
    const [other] = fuse([[box(0.1, 0.6), box(0.16, 0.601)]], HALF)
    expect(Math.abs(one!.x - other!.x)).toBeLessThan(0.001)
  })

  it('separates two boxes gradually as their overlap falls', () => {
    // Overlaps from 0.8 to 0.3.
    const seconds = [0.045, 0.12, 0.135, 0.15, 0.165, 0.18, 0.22].map(
      (x) => fuse([[box(0, 0.8), box(x, 0.6)]], HALF)[1]?.score ?? 0,
    )
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b))
    expect([seconds[0], seconds.at(-1)]).toEqual([0, 0.6])
    expect(Math.max(...seconds.slice(1).map((score, at) => score - seconds[at]!))).toBeLessThan(0.3)
  })

  it('drops boxes whose score falls below the bound', () => {
    const scores = (faintest: number): number[] =>
      fuse([[box(0, 0.8), box(0.15, 0.6)]], { ...HALF, faintest }).map(({ score }) => score)
    expect([scores(0).length, scores(0.4).length]).toEqual([2, 1])
  })

  it('keeps boxes of different things apart, sorted by score', () => {
    expect(fuse([[box(0, 0.4), box(0.55, 0.8)]], HALF).map(({ x }) => x)).toEqual([0.55, 0])
  })
  it('gives the mean of the largest scores of two looks, and sorts by it', () => {
    const looks = [
      [box(0, 0.8), box(0.02, 0.7), box(0.55, 0.6)],
      [box(0.01, 0.3), box(0.55, 0.7)],
    ]
    const fused = fuse(looks, HALF)
    expect(fused.map(({ score }) => score)).toEqual([expect.closeTo(0.65), expect.closeTo(0.55)])
    expect(fused.map(({ x }) => x)).toEqual([expect.closeTo(0.55), expect.closeTo(0.009, 3)])
  })

  it('counts a box that one look lacks with the lowest score there', () => {
    const [one] = fuse([[box(0, 0.8)], []], { overlap: 0.5, faintest: 0.1 })
    expect(one!.score).toBeCloseTo(0.45)
  })

  it('averages the other named fields too', () => {
    const turned = (x: number, turn: number) => ({ ...box(x, 0.5), turn })
    const [one] = fuse([[turned(0, 0.2)], [turned(0, -0.1)]], { ...HALF, averaged: ['turn'] })
    expect(one!.turn).toBeCloseTo(0.05)
  })
  it('keeps the 2000 best boxes', () => {
    const many = Array.from({ length: 5000 }, (_, at) => ({
      x: (at % 100) / 100,
      y: Math.floor(at / 100) / 100,
      width: 0.005,
      height: 0.005,
      score: 0.5 + at / 1e5,
    }))
    const fused = fuse([many], HALF)
    expect([fused.length, fused[0]!.score, fused.at(-1)!.score]).toEqual([2000, 0.5 + 4999 / 1e5, 0.5 + 3000 / 1e5])
  })
})
