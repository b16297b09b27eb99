import { describe, expect, it } from 'vitest'
import { coefficientBytes, describeFrame, type Frame, layOut, type Scan } from '../../src/jpeg/bitstream/frame.ts'
import { sizeOfBand, sizeOfCounts } from '../../src/jpeg/bitstream/scan-size.ts'
import { measureScan } from '../../src/jpeg/bitstream/scan-statistics.ts'
import { allocate, bytesAt, type Kernel, openKernel } from '../../src/jpeg/kernel.ts'
import { seeded } from './fixtures.ts'

const cuts = [1, 5, 9, 18, 40]

/** A grey frame whose blocks' coefficients `fill` writes. */
const frameOf = (widthInBlocks: number, heightInBlocks: number, fill: (block: Int16Array, index: number) => void) => {
  const kernel = openKernel()
  const frame = layOut(widthInBlocks * 8, heightInBlocks * 8, [{ id: 1, h: 1, v: 1 }])
  const component = frame.components[0]!
  component.coefs = allocate(kernel, coefficientBytes(component))
  describeFrame(kernel, frame)
  const values = new Int16Array(kernel.memory.buffer, component.coefs, widthInBlocks * heightInBlocks * 64)
  for (let b = 0; b < widthInBlocks * heightInBlocks; b++) fill(values.subarray(b * 64, b * 64 + 64), b)
  return { kernel, frame }
}

/** Every band that begins at 1 or ends at 63, of first and refining scans. */
const scans: Scan[] = [
  { ah: 0, al: 0 },
  { ah: 0, al: 1 },
  { ah: 0, al: 3 },
  { ah: 1, al: 0 },
  { ah: 2, al: 1 },
].flatMap((bits) =>
  [[1, 63], ...cuts.flatMap((cut) => [[1, cut] as const, [cut + 1, 63] as const])].map(([ss, se]) => ({
    components: [0],
    ss: ss!,
    se: se!,
    ...bits,
  })),
)

const compare = (kernel: Kernel, frame: Frame): void => {
  const known = allocate(kernel, 1024)
  sizeOfBand(kernel, frame, { components: [0], ss: 1, se: 63, ah: 0, al: 0 })
  bytesAt(kernel, known, 1024).set(bytesAt(kernel, kernel.histogramAt(4), 1024))
  for (const counted of [[], [known]]) {
    const survey = measureScan(kernel, frame, 0, { cuts, counted })
    for (const scan of scans) {
      const { counts, corrections } = survey.band(scan)!
      const walked = sizeOfBand(kernel, frame, scan)
      expect(sizeOfCounts(scan, [{ slot: 4, counts }], corrections)).toEqual(walked)
    }
  }
}

describe('a survey of a component', () => {
  for (const density of [0.005, 0.05, 0.3, 0.9]) {
    it(`counts what walking through each scan counts, where ${density} of the coefficients are not zero`, () => {
      const next = seeded(Math.round(density * 1000))
      const { kernel, frame } = frameOf(40, 30, (block) => {
        for (let k = 0; k < 64; k++) {
          if (next() / 2 ** 32 < density) block[k] = Math.round(((next() / 2 ** 32 - 0.5) * 40) / (1 + k / 8))
        }
      })
      compare(kernel, frame)
    })
  }

  it('ends a run of empty blocks where it may be no longer', () => {
    const { kernel, frame } = frameOf(300, 250, (block, index) => {
      if (index === 10 || index === 70_000) block[3] = 2
    })
    compare(kernel, frame)
  })

  it('ends a run behind which too many bits wait', () => {
    const { kernel, frame } = frameOf(60, 10, (block, index) => {
      for (let k = 1; k < 64; k++) block[k] = index % 97 === 0 && k % 5 === 0 ? 1 : 4 + (k & 3)
    })
    compare(kernel, frame)
  })

  it('knows no band that lies between its cuts', () => {
    const { kernel, frame } = frameOf(2, 2, () => undefined)
    const survey = measureScan(kernel, frame, 0, { cuts })
    expect(survey.band({ components: [0], ss: 6, se: 18, ah: 0, al: 0 })).toBeUndefined()
    expect(survey.band({ components: [0], ss: 1, se: 7, ah: 0, al: 0 })).toBeUndefined()
  })
})
