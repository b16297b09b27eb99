/** Setup of every test file (vitest.config.ts): removes the files that its tests wrote. */
import { afterAll } from 'vitest'
import { removeScratch } from './scratch.ts'

afterAll(removeScratch)
