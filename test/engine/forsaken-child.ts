import { setTimeout } from 'node:timers/promises'
import { UNCONFINED } from '../../src/engine/pool/confinement/confinement.ts'
import { forkChild } from '../../src/engine/pool/process/fork-child.ts'

// Starts a child, stops it while its modules load, prints its process id and exits. The test then lets the child go on.

/** ms after which a child loads its modules and is far from its first message. */
const START_MS = 200

const { pid } = forkChild({ confinement: UNCONFINED })
await setTimeout(START_MS)
process.kill(pid!, 'SIGSTOP')
console.log(pid)
process.exit(0)
