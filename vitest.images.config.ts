import { mergeConfig } from 'vitest/config'
import plain, { IMAGES } from './vitest.config.ts'

/** What `npm test` leaves out for its length, in the same way, with time for a machine that others use too. */
const { include: _, exclude: __, ...same } = plain.test!
export default mergeConfig({ test: same }, { test: { include: IMAGES, testTimeout: 180_000 } })
