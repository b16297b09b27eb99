// The JPEG XL kernel: entropy coding, and the pixels that decoders show of a JPEG's coefficients in a VarDCT frame.
export { alloc, clear, mark, release } from '../common/memory'
export { parameterBlock } from '../common/parameters'
export { clusterHistograms } from './cluster'
export { countSymbols, encodedBits, encodeTokens } from './entropy'
export { countCoefficients, hfTokens } from './hf'
export { inverse } from './inverse'
export { joinColour, joinGrey } from './join'
export { predictorScratch, predictWeighted } from './lf'
