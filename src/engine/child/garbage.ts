import { setFlagsFromString } from 'node:v8'

/**
 * The kernels' memories stay between images. V8 13 counts them against a limit made for smaller things and collects all garbage after every
 * third photograph, a tenth of the CPU; with this flag they count against the heap's own limit. Other versions may not know it.
 */
if (process.versions.v8.startsWith('13.')) setFlagsFromString('--external-memory-accounted-in-global-limit')
