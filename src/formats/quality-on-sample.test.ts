import { describe, expect, it } from 'vitest'
import { STRAIGHT, scriptedRequest } from '../../test/formats/request.ts'
import type { AnyRaster, Raster } from '../core/image.ts'
import { fromPixels } from '../raster/raw.ts'
import { type Examined, IDENTICAL } from './format.ts'
import type { QualityEncoder } from './quality-encoder.ts'
import { searchLossy } from './quality-on-sample.ts'

/** 5.2 megapixels of black. */
const PIXELS = { data: new Uint8Array(2600 * 2000 * 3), width: 2600, height: 2000, channels: 3 } as const

/** Efforts in the order of the encodes of an image whose bounds are kept by some efforts alone. */
const effortsUntil = async (isEnough: (effort: string) => boolean, ofSample = isEnough): Promise<readonly string[]> => {
  const encoded: string[] = []
  const png = new Uint8Array(
    await fromPixels({ ...PIXELS, width: 8, height: 8 })
      .png()
      .toBuffer(),
  )
  const effortOf = (name: string) => ({
    msPerMegapixel: 1,
    encode: async () => {
      encoded.push(name)
      return png
    },
  })
  const plain = effortOf('plain')
  const encoder: QualityEncoder = {
    format: 'webp',
    ...STRAIGHT,
    draft: plain,
    expected: ({ margins }) => margins,
    full: () => plain,
    finest: effortOf('finest'),
  }
  const examineBy = (judge: typeof isEnough) => () => {
    const keeps = judge(encoded.at(-1)!)
    return { ...IDENTICAL, keeps, margins: { ssimulacra: keeps ? 1 : -1 } }
  }
  const whole = scriptedRequest({ pixels: PIXELS, examine: examineBy(isEnough) })
  const part = { ...whole, examine: examineBy(ofSample), [Symbol.dispose]: () => undefined }
  const request = { ...whole, examinePart: () => part }
  for await (const _ of searchLossy(encoder, request));
  return encoded
}

describe('the search of a large image with a quality setting', () => {
  it('uses the usual effort alone where it keeps the bounds', async () => {
    expect(await effortsUntil(() => true)).not.toContain('finest')
  })

  it('encodes the whole with the finest effort where the usual one breaks a bound of the sample at every setting', async () => {
    const encoded = await effortsUntil((effort) => effort === 'finest')
    expect(encoded[0]).toBe('plain')
    expect(encoded.at(-1)).toBe('finest')
  })

  it('encodes the whole with the finest effort where a higher setting of the usual one gained nothing', async () => {
    const encoded = await effortsUntil(
      (effort) => effort === 'finest',
      () => true,
    )
    expect(encoded.filter((effort) => effort === 'finest')).toHaveLength(1)
    expect(encoded.slice(-3)).toEqual(['plain', 'plain', 'finest'])
  })

  it('encodes the whole between a setting that breaks a bound and one that keeps all, where the encoder says so', async () => {
    const settings: number[] = []
    const effort = {
      msPerMegapixel: 1,
      encode: async ({ width }: Raster, setting: number) => {
        if (width === PIXELS.width) settings.push(setting)
        return Uint8Array.of(width === PIXELS.width ? 1 : 0, setting)
      },
    }
    // The sample is kept from a setting of 50 on, the whole from 53 on.
    const examine = ({ data: [isWhole, setting] }: AnyRaster): Examined => {
      const margin = setting! - (isWhole === 1 ? 53 : 50)
      return { ...IDENTICAL, keeps: margin >= 0, margins: { ssimulacra: margin } }
    }
    const encoder: QualityEncoder = {
      format: 'avif',
      ...STRAIGHT,
      decode: async (file) => ({ ...PIXELS, data: file }),
      draft: effort,
      expected: ({ margins }) => margins,
      full: () => effort,
      narrows: true,
    }
    const whole = scriptedRequest({ pixels: PIXELS, examine })
    const request = { ...whole, examinePart: () => ({ ...whole, [Symbol.dispose]: () => undefined }) }
    for await (const _ of searchLossy(encoder, request));
    const [first, second, ...between] = settings
    expect(first).toBeLessThan(53)
    expect(second).toBeGreaterThan(53)
    expect(between).toContain(53)
  })

  it('has full effort where as many wholes fit into the time as the encoder names, with parts of it encoded at once', async () => {
    const efforts = async (encoderTime: Pick<QualityEncoder, 'minWholes' | 'wholeTime'>): Promise<Set<string>> => {
      const encoded = new Set<string>()
      const effortOf = (name: string) => ({
        msPerMegapixel: 1000,
        encode: async () => {
          encoded.add(name)
          return new Uint8Array(1)
        },
      })
      const [full, draft] = [effortOf('full'), effortOf('draft')]
      const encoder: QualityEncoder = {
        format: 'avif',
        ...STRAIGHT,
        ...encoderTime,
        decode: async (data) => ({ ...PIXELS, data }),
        draft,
        expected: ({ margins }) => margins,
        full: () => full,
      }
      // Six encodes of the sample of 2.1 megapixels and one and a half of the whole.
      const deadline = { remaining: () => 20_500, signal: new AbortController().signal }
      const whole = { ...scriptedRequest({ pixels: PIXELS, examine: () => IDENTICAL }), deadline }
      const request = { ...whole, examinePart: () => ({ ...whole, [Symbol.dispose]: () => undefined }) }
      for await (const _ of searchLossy(encoder, request));
      return encoded
    }
    expect(await efforts({})).toEqual(new Set(['draft']))
    expect(await efforts({ minWholes: 1 })).toContain('full')
    expect(await efforts({ wholeTime: 0.5 })).toContain('full')
  })
})
