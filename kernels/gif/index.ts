/**
 * Codes the frames of an animation by LZW as GIF has it, with losses: a string of the dictionary may stand for pixels whose colours are near. At each
 * step that string is chosen whose pixels are worth most beyond its error, a pixel's worth being what one cost lately in bits and error.
 */
import { closeOutput, openOutput, put } from '../common/bit-writer'
import { boxHeight, boxLeft, boxTop, boxWidth, clearBox, clears, drawBox, fillBox, findBox, mayLeave } from './box'
import { clearCode, codeBits, expectString, isFull, openDictionary, restartDictionary, addWritten } from './dictionary'
import {
  arrange, canvas, codes, next, palette, palettePoints, tableOpaque, tablePoints, weights, wish,
} from './layout'
import { leaving, openPalette } from './palette'
import { findString, foundCode, foundError, foundLength, openSearch, takeString, weighed } from './search'

/** Pixels over which the cost of one is averaged: for the worth of an error, and for the age of a dictionary. */
const LATELY: f64 = 400
const AGEING: f64 = 1600
/** A full dictionary restarts when a pixel costs this factor of its mean since the dictionary began: 0.4 % smaller than at 1. */
const OLD: f64 = 1.05
/** Bits and pixels of a code, to begin with. */
const USUAL_BITS: f64 = 11
const USUAL_LENGTH: f64 = 4

/** Worth of a bit and of a pixel, in weighted squared error. */
let perBit: f64 = 0
let worth: f64 = 0
/** Pixels of the box, and how many of them are coded. */
let pixels: u32 = 0
let at: u32 = 0
let codesEnd: usize = 0
let size: u32 = 0
/** Pixels since the dictionary was begun, what they cost, and what one cost lately. */
let aged: f64 = 0
let cost: f64 = 0
let lately: f64 = 0

/** Allocates the memory of an animation, with an empty canvas. Returns false when there is not enough. */
export function configure(width: u32, height: u32, colours: u32): bool { return arrange(width, height, colours) }

export function tablePointsAddress(): usize { return tablePoints }
export function tableOpaqueAddress(): usize { return tableOpaque }
export function wishAddress(): usize { return wish }
export function nextAddress(): usize { return next }
export function weightsAddress(): usize { return weights }
export function palettePointsAddress(): usize { return palettePoints }
export function paletteAddress(): usize { return palette }
export function canvasAddress(): usize { return canvas }
export function codesAddress(): usize { return codes }
export function codesLength(): u32 { return <u32>(codesEnd - codes) }
export function codeSize(): u32 { return size }
export function left(): u32 { return boxLeft }
export function top(): u32 { return boxTop }
export function across(): u32 { return boxWidth }
export function down(): u32 { return boxHeight }
export function clearsAfter(): bool { return clears }

/**
 * Begins a frame of `colours` colours. No pixel may have more than `most` of squared error. A bit is worth `bit` of error, 0 for lossless.
 * With `hasNext`, pixels that are transparent in the next frame are cleared after this one.
 */
export function beginFrame(colours: u32, most: f64, bit: f64, hasNext: bool): void {
  findBox(most, hasNext)
  fillBox()
  openPalette(colours)
  pixels = boxWidth * boxHeight
  at = 0
  const count = leaving + (mayLeave ? 1 : 0)
  size = count <= 4 ? 2 : 32 - clz<u32>(count - 1)
  perBit = bit > 0 ? bit : 1
  worth = (perBit * USUAL_BITS) / USUAL_LENGTH
  aged = 0
  cost = 0
  lately = 0
  openDictionary(count, size)
  openSearch(pixels, boxWidth, most)
  openOutput(codes)
  put(clearCode, codeBits)
}

/** Whether an empty dictionary would now cost less than the full one, by the recent cost of a pixel. */
function isOld(length: f64, paid: f64): bool {
  aged += length
  cost += paid
  const mean = cost / aged
  lately = isFull() ? lately + (paid - lately * length) / AGEING : mean
  return isFull() && lately > mean * OLD
}

function codeString(): void {
  expectString()
  findString(at, worth)
  takeString(at)
  put(foundCode, codeBits)
  const paid = perBit * codeBits + foundError
  const length: f64 = foundLength
  addWritten(foundCode)
  at += foundLength
  worth += (paid - worth * length) / LATELY
  if (!isOld(length, paid) || at == pixels) return
  put(clearCode, codeBits)
  restartDictionary()
  aged = 0
  cost = 0
}

/** Codes until about `most` symbols were weighed. Returns true at the frame's end. */
export function code(most: u32): bool {
  const begun = weighed + at
  while (at < pixels && weighed + at - begun < most) codeString()
  if (at < pixels) return false
  put(clearCode + 1, codeBits)
  codesEnd = closeOutput()
  return true
}

/** Draws the coded frame on the canvas. */
export function draw(): void { drawBox(leaving) }

/** Takes away what is in its box. */
export function clear(): void { clearBox() }
