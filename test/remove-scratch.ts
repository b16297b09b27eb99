/** Runs beside every file of tests (vitest.config.ts): what its tests made on the disk goes with them. */
import { afterAll } from 'vitest'
import { removeScratch } from './scratch.ts'

afterAll(removeScratch)
