import { describe, expect, it } from 'vitest'
import { STRAIGHT, scriptedRequest } from '../../test/formats/request.ts'
import { IDENTICAL } from './format.ts'
import { quickest } from './quality-search.ts'

/** 16 px of black. */
const PIXELS = { data: new Uint8Array(48), width: 4, height: 4, channels: 3 } as const

/** What happens, in order, while a quick file is made. */
const eventsOf = async (given: { readonly bytesToBeat?: number; readonly remaining?: number }) => {
  const { bytesToBeat = Number.POSITIVE_INFINITY, remaining = 1e9 } = given
  const events: string[] = []
  const draft = {
    msPerMegapixel: 1,
    encode: async () => {
      events.push('encode')
      return Uint8Array.of(1)
    },
  }
  const encoder = {
    format: 'webp',
    ...STRAIGHT,
    draft,
    decode: async () => PIXELS,
    expected: () => ({ ssimulacra: 0 }),
    full: () => draft,
  } as const
  const request = scriptedRequest({
    pixels: PIXELS,
    bytesToBeat: () => bytesToBeat,
    deadline: { remaining: () => remaining, signal: new AbortController().signal },
    examine: () => {
      events.push('measure')
      return IDENTICAL
    },
  })
  for await (const { examined } of quickest(encoder, request, 70))
    events.push(examined === undefined ? 'unmeasured file' : 'measured file')
  return events
}

describe('a quick file of an encoder with a quality setting', () => {
  it('is yielded before it is measured where there is no other file', async () => {
    expect(await eventsOf({})).toEqual(['encode', 'unmeasured file', 'measure', 'measured file'])
  })

  it('is measured first where it competes with another file', async () => {
    expect(await eventsOf({ bytesToBeat: 100 })).toEqual(['encode', 'measure', 'measured file'])
  })

  it('is not measured where there is no time for that', async () => {
    expect(await eventsOf({ bytesToBeat: 100, remaining: 0 })).toEqual(['encode', 'unmeasured file'])
  })
})
