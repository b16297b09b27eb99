// Looks for the string of the dictionary that stands best for the pixels from one on. Distances are taken in f64, what is handed on is kept in f32.
import { LEAVE, MAY, MUST, NEVER, ROW_START } from './box'
import { childOf, heightOf, lastOf, parentOf, siblingOf } from './dictionary'
import { MAX_CODES, POINT, above, boxWeights, leave, shown, symbols, wanted } from './layout'
import { colour, firstWith, leaving } from './palette'

/** Share of a pixel's error that the next one makes up for, and that the one below does: the mean colour of a place stays. */
const ONWARD: f64 = 0.45
const DOWN: f64 = 0.45
/** Farther from any colour than may be. */
const NOWHERE: f64 = 1e100

/** Strings still to be continued, the latest last: code and last pixel (u32), error so far (f32), what is handed on along each axis (f32); one more is noted. */
const OPEN: usize = 24
const STACK = memory.data((4096 + 1) * 24, 16)
/** Error that the next pixel compensates for, f32. */
const CARRIED = memory.data(12, 16)

let pixels: u32 = 0
let most: f64 = 0
let boxWidth: usize = 0
let top: usize = 0
/** The string that was found: its code, pixels, and their weighted squared errors. */
export let foundCode: u32 = 0
export let foundLength: u32 = 0
export let foundError: f64 = 0
/** Symbols weighed so far. */
export let weighed: u32 = 0

/** The pixel that is looked at: its wanted colour, what is handed on to it, how much an error counts, and whether it may leave what is there. */
let wantedX: f64 = 0
let wantedY: f64 = 0
let wantedZ: f64 = 0
let handedX: f64 = 0
let handedY: f64 = 0
let handedZ: f64 = 0
let weight: f64 = 0
let may: u32 = 0
/** The error of the symbol weighed last along each axis. */
let offX: f64 = 0
let offY: f64 = 0
let offZ: f64 = 0

/** Begins a box of `count` pixels, `across` wide. No pixel may have more than `limit` of weighted squared error. */
export function openSearch(count: u32, across: u32, limit: f64): void {
  pixels = count
  boxWidth = across
  most = limit
  memory.fill(CARRIED, 0, 12)
  weighed = 0
}

/** Loads a pixel. The one before it in its row hands it the three errors at `from`. */
// @ts-ignore: decorator
@inline function lookAt(pixel: usize, from: usize): void {
  const at = pixel * POINT
  const flags: u32 = load<u8>(leave + pixel)
  may = flags & LEAVE
  const isFirst = (flags & ROW_START) != 0
  handedX = (isFirst ? 0 : <f64>load<f32>(from)) + <f64>load<f32>(above + at)
  handedY = (isFirst ? 0 : <f64>load<f32>(from, 4)) + <f64>load<f32>(above + at, 4)
  handedZ = (isFirst ? 0 : <f64>load<f32>(from, 8)) + <f64>load<f32>(above + at, 8)
  wantedX = load<f32>(wanted + at)
  wantedY = load<f32>(wanted + at, 4)
  wantedZ = load<f32>(wanted + at, 8)
  weight = load<f32>(boxWeights + pixel * 4)
  const there = colour(leaving)
  store<f64>(there, may == NEVER ? NOWHERE : <f64>load<f32>(shown + at))
  store<f64>(there, load<f32>(shown + at, 4), 8)
  store<f64>(there, load<f32>(shown + at, 8), 16)
}

/** The weighted squared error of a symbol at the pixel that is looked at; infinite, or nearly, where it may not be there. */
// @ts-ignore: decorator
@inline function weigh(symbol: u32): f64 {
  if (may == MUST) {
    offX = 0
    offY = 0
    offZ = 0
    return symbol == leaving ? 0 : Infinity
  }
  const at = colour(symbol)
  const x = wantedX - load<f64>(at)
  const y = wantedY - load<f64>(at, 8)
  const z = wantedZ - load<f64>(at, 16)
  // The very colour is right whatever its neighbours lack.
  const isRight = x == 0 && y == 0 && z == 0
  offX = isRight ? 0 : x + handedX
  offY = isRight ? 0 : y + handedY
  offZ = isRight ? 0 : z + handedZ
  return (offX * offX + offY * offY + offZ * offZ) * weight
}

/** Notes a string with the errors of the symbol weighed last above those that are open. */
// @ts-ignore: decorator
@inline function note(code: u32, pixel: u32, error: f32): void {
  store<u32>(top, code)
  store<u32>(top, pixel, 4)
  store<f32>(top, error, 8)
  store<f32>(top, <f32>(<f64><f32>offX * ONWARD), 12)
  store<f32>(top, <f32>(<f64><f32>offY * ONWARD), 16)
  store<f32>(top, <f32>(<f64><f32>offZ * ONWARD), 20)
}

/** Keeps it, to be continued. */
// @ts-ignore: decorator
@inline function offer(code: u32, pixel: u32, error: f32): void {
  note(code, pixel, error)
  top += OPEN
}

/** The nearest colour, where none is near enough: whatever the pixel before hands on. */
function offerNearest(pixel: u32): void {
  const over = above + <usize>pixel * POINT
  handedX = load<f32>(over)
  handedY = load<f32>(over, 4)
  handedZ = load<f32>(over, 8)
  let nearest: u32 = 0
  let least = Infinity
  for (let symbol: u32 = 0; symbol < leaving; symbol++) {
    const error = weigh(symbol)
    if (error >= least) continue
    least = error
    nearest = symbol
  }
  offer(nearest, pixel, <f32>weigh(nearest))
}

/** Keeps all strings of one symbol that a pixel may have. */
function offerFirst(pixel: u32): void {
  top = STACK
  lookAt(pixel, CARRIED)
  // Skips colours whose luma alone differs by more than the limit. The range covers the wanted colour with and without the diffused error.
  const reach = Math.sqrt(most / weight)
  const end = firstWith(wantedX + max(0, handedX) + reach + 1)
  const begin = firstWith(wantedX + min(0, handedX) - reach)
  for (let symbol = begin; symbol < end; symbol++) {
    const error = weigh(symbol)
    note(symbol, pixel, <f32>error)
    // Without a branch, which would go either way.
    top += error <= most ? OPEN : 0
  }
  weighed += end > begin ? end - begin : 0
  const error = weigh(leaving)
  if (error <= most) offer(leaving, pixel, <f32>error)
  if (top == STACK) offerNearest(pixel)
}

/**
 * Finds the string that is worth most from a pixel on, where a pixel more is worth `worth` of error. Each string of the dictionary is looked at once at
 * most, and none whose longest continuation could not be worth as much as the best so far, were all of it right.
 */
export function findString(from: u32, worth: f64): void {
  offerFirst(from)
  let highest = -Infinity
  const isLongerBetter = worth > 0
  while (top > STACK) {
    top -= OPEN
    const code = load<u32>(top)
    const end = load<u32>(top, 4)
    const error: f64 = load<f32>(top, 8)
    const length = end - from + 1
    const value = worth * length - error
    if (value > highest || (value == highest && length > foundLength)) {
      highest = value
      foundCode = code
      foundLength = length
      foundError = error
    }
    let longer = childOf(code)
    if (longer == 0 || end + 1 == pixels) continue
    if (isLongerBetter && worth * (length + heightOf(code)) - error < highest) continue
    lookAt(end + 1, top + 12)
    do {
      weighed++
      const more = weigh(lastOf(longer))
      if (more <= most) {
        const all = <f32>(error + more)
        if (!isLongerBetter || worth * (length + 1 + heightOf(longer)) - <f64>all >= highest) offer(longer, end + 1, all)
      }
      longer = siblingOf(longer)
    } while (longer != 0)
  }
}

/** Gives the found string's symbols to the pixels from one on; their errors go on to the pixels after them and below. */
export function takeString(from: u32): void {
  let code = foundCode
  const end = from + foundLength
  for (let pixel = end; pixel > from; pixel--) {
    store<u16>(symbols + (<usize>(pixel - 1) << 1), <u16>lastOf(code))
    code = parentOf(code)
  }
  for (let pixel = from; pixel < end; pixel++) {
    lookAt(pixel, CARRIED)
    weigh(load<u16>(symbols + (<usize>pixel << 1)))
    const x = <f64><f32>offX
    const y = <f64><f32>offY
    const z = <f64><f32>offZ
    store<f32>(CARRIED, <f32>(x * ONWARD))
    store<f32>(CARRIED, <f32>(y * ONWARD), 4)
    store<f32>(CARRIED, <f32>(z * ONWARD), 8)
    const below = above + (<usize>pixel + boxWidth) * POINT
    store<f32>(below, <f32>(x * DOWN))
    store<f32>(below, <f32>(y * DOWN), 4)
    store<f32>(below, <f32>(z * DOWN), 8)
  }
}
