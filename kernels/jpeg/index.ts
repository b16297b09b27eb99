// The JPEG kernel: everything that touches each coefficient or pixel. Markers, tables and decisions are TypeScript's.
export { alloc, clear, mark, release } from './memory'
export { component, scan, scanComponent } from './components'
export { setTable, tableInbox } from './huffman-in'
export { readScan, scanEnd } from './read-scan'
export { histogramAt, codesAt, openOutput, outputEnd, extraBits, resetCounts, writeDc, writeAcFirst, writeAcRefine, writeSequential } from './write-scan'
