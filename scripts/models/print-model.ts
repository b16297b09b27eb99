import { hashOfModel, type ModelHeader } from '../../src/attention/network/model.ts'

/** The bytes of a model file, as `readModel` reads them. */
export const printModel = (header: ModelHeader, weights: Uint8Array): Uint8Array => {
  const text = JSON.stringify(header)
  // The weights begin at an even address, so that they can be read in place.
  const json = Buffer.from(text.padEnd(text.length + (text.length % 2)))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  const rest = Buffer.concat([length, json, weights])
  return Buffer.concat([hashOfModel(rest), rest])
}
