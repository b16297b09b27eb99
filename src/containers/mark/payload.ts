import { crc32 } from 'node:zlib'
import type { ResultMark } from '../../core/image.ts'
import { MARK } from './format.ts'

/** Levels by their number in a mark. */
const LEVELS = ['low', 'medium', 'high'] as const
/** Resolution of a mark. */
const STEP = {
  /** SSIMULACRA points. */
  loss: 0.5,
  /** Butteraugli distance. */
  distance: 0.02,
} as const

/** A checksum of 16 bits that re-encoding the image changes. */
export const checkOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, part) => crc32(part, sum), 0) & 0xffff

const stepsOf = (value: number, step: number): number => Math.min(255, Math.max(0, Math.ceil(value / step)))

/** The bytes of a mark: four bits of version, two of level, two of density; loss; distance; checksum. Losses are rounded up. */
export const writePayload = ({ level, density, loss, distance }: ResultMark, check: number): Buffer => {
  const payload = Buffer.alloc(MARK.payloadBytes)
  payload[0] = (MARK.version << 4) | (LEVELS.indexOf(level) << 2) | (density - 1)
  payload[1] = stepsOf(loss, STEP.loss)
  payload[2] = stepsOf(distance, STEP.distance)
  payload.writeUInt16BE(check, 3)
  return payload
}

/** The mark in these bytes. undefined for another version, an unknown level, or a wrong checksum. */
export const readPayload = (payload: Buffer, check: number): ResultMark | undefined => {
  if (payload.length !== MARK.payloadBytes || payload.readUInt16BE(3) !== check) return undefined
  const head = payload[0]!
  const level = LEVELS[(head >> 2) & 3]
  const density = (head & 3) + 1
  if (head >> 4 !== MARK.version || level === undefined || density > 3) return undefined
  return { level, density: density as 1 | 2 | 3, loss: payload[1]! * STEP.loss, distance: payload[2]! * STEP.distance }
}
