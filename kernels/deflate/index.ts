/**
 * Deflate (RFC 1951) with an optimal parse for small inputs. It chooses the cheapest sequence of literals and matches, and repeats that under the
 * costs of the codes of the previous round, like zopfli and libdeflate's best levels. Blocks have codes of their own.
 */
import { fillTables } from './symbols'
import { arrange, input, output, size } from './layout'
import { findMatches, restartMatches } from './matches'
import { chooseCheapest, costsFromCounts, countSymbols, usualCosts } from './parse'
import { blockEnd, divideIntoBlocks } from './blocks'
import { closeOutput, openOutput } from '../common/bit-writer'
import { writeBlock } from './write'

/** Allocates memory for an input of `bytes`. Returns false when there is not enough. */
export function configure(bytes: u32): bool {
  fillTables()
  return arrange(bytes)
}

export function inputAddress(): usize { return input }
export function outputAddress(): usize { return output }

/** Deflates the input, each way through it chosen `rounds` times; gives the bytes of the output. */
export function compress(rounds: i32, depth: i32, nice: i32): u32 {
  openOutput(output)
  restartMatches()
  let from: u32 = 0
  do {
    const to = findMatches(from, depth, nice)
    usualCosts(from, to)
    chooseCheapest(from, from, to)
    countSymbols(from, from, to)
    costsFromCounts()
    chooseCheapest(from, from, to)
    const blocks = divideIntoBlocks(from, to)
    let start = from
    for (let block = 0; block < blocks; block++) {
      const end = blockEnd(block)
      countSymbols(from, start, end)
      for (let round = 2; round < rounds; round++) {
        costsFromCounts()
        chooseCheapest(from, start, end)
        countSymbols(from, start, end)
      }
      writeBlock(from, start, end, end == size)
      start = end
    }
    from = to
  } while (from < size)
  return <u32>(closeOutput() - output)
}
