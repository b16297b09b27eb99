import { openCodeWriter } from './code-writer.ts'
import { openDictionary } from './dictionary.ts'
import { COORDINATES, type CodableFrame, type CodedFrame, LEAVE, type Loss } from './frame.ts'
import { openMatches } from './matches.ts'

/** Pixels over which the present cost of one is averaged: of what is worth an error, and of what tells that a dictionary has grown old. */
const LATELY = 400
const AGEING = 1600
/** A full dictionary is given up where a pixel costs so many times what one did since it was begun: 0.4 % smaller than at 1. */
const OLD = 1.05
/** Pixels after which it is asked whether time is up: a few tens of milliseconds. */
const BETWEEN_LOOKS = 1 << 15
/** Bits and pixels of a code, to begin with. */
const [USUAL_BITS, USUAL_LENGTH] = [11, 4]

/** Tells by what pixels cost lately whether it is better to begin with an empty dictionary again (Ziv and Lempel's, once it is full). */
const openAge = () => {
  let pixels = 0
  let cost = 0
  let lately = 0
  return {
    add: (length: number, paid: number, isFull: boolean): boolean => {
      pixels += length
      cost += paid
      const mean = cost / pixels
      lately = isFull ? lately + (paid - lately * length) / AGEING : mean
      return isFull && lately > mean * OLD
    },
    restart: () => {
      pixels = 0
      cost = 0
    },
  }
}

/**
 * Codes a frame by LZW as GIF has it, with losses: a string of the dictionary may stand for pixels whose colours are near. At each
 * step that string is chosen whose pixels are worth most beyond its error, a pixel's worth being what one cost lately in bits and error.
 * Undefined when time was up before its end.
 */
export const codeFrame = (frame: CodableFrame, loss: Loss, isTimeUp: () => boolean): CodedFrame | undefined => {
  const pixels = frame.width * frame.height
  const colours = frame.colours.length / COORDINATES
  const symbols = colours + (frame.leave.some((leave) => leave !== LEAVE.NEVER) ? 1 : 0)
  const codeSize = Math.max(2, Math.ceil(Math.log2(symbols)))
  const perBit = loss.perBit > 0 ? loss.perBit : 1
  const dictionary = openDictionary(symbols, codeSize)
  const matches = openMatches(frame, dictionary, loss)
  const writer = openCodeWriter(pixels)
  const age = openAge()
  let worth = (perBit * USUAL_BITS) / USUAL_LENGTH
  writer.put(dictionary.clear, dictionary.bits())
  for (let at = 0, looked = 0; at < pixels; ) {
    if (at >= looked) {
      if (isTimeUp()) return undefined
      looked = at + BETWEEN_LOOKS
    }
    dictionary.expect()
    const match = matches.best(at, worth)
    matches.take(match, at)
    writer.put(match.code, dictionary.bits())
    const paid = perBit * dictionary.bits() + match.error
    dictionary.wrote(match.code)
    at += match.length
    worth += (paid - worth * match.length) / LATELY
    if (!age.add(match.length, paid, dictionary.isFull()) || at === pixels) continue
    writer.put(dictionary.clear, dictionary.bits())
    dictionary.restart()
    age.restart()
  }
  writer.put(dictionary.clear + 1, dictionary.bits())
  return { codeSize, codes: writer.finish(), symbols: matches.symbols }
}
