import { describe, expect, it } from 'vitest'
import { readGainMapMetadata, writeGainMapMetadata } from './gain-map-metadata.ts'

const GREY = {
  channels: [{ min: -0.5, max: 2.25, gamma: 1.5, baseOffset: 1 / 64, alternateOffset: 0 }],
  baseHeadroom: 0,
  alternateHeadroom: 2.25,
  inBaseColours: true,
}
const COLOUR = {
  ...GREY,
  channels: [1, 2, 3].map((max) => ({ min: 0, max, gamma: 1, baseOffset: 0.015625, alternateOffset: 0.015625 })),
}

describe('how a gain map is applied', () => {
  it.each([
    ['grey', GREY],
    ['colour', COLOUR],
  ])('parameters are the same in both forms: %s', (_, metadata) => {
    const segments = writeGainMapMetadata(metadata)
    expect(segments).toHaveLength(2)
    for (const segment of segments) expect(readGainMapMetadata([segment])).toEqual(metadata)
  })

  it('truncated and unrelated segments give undefined', () => {
    const [xmp, iso] = writeGainMapMetadata(GREY)
    expect(readGainMapMetadata([iso!.subarray(0, iso!.length - 8)])).toBeUndefined()
    expect(readGainMapMetadata([xmp!.subarray(0, 60)])).toBeUndefined()
    expect(readGainMapMetadata([iso!.subarray(0, 20), xmp!])).toEqual(GREY)
  })

  it('is undefined where a value of the XMP form does not fit into the fractions of ISO 21496-1', () => {
    const [xmp] = writeGainMapMetadata(GREY)
    const text = xmp!.toString('latin1').replace('GainMapMax="2.25"', 'GainMapMax="9999"')
    expect(readGainMapMetadata([Buffer.from(text, 'latin1')])).toBeUndefined()
  })
})
