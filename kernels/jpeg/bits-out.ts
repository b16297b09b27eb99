// Writing entropy-coded bits, or only counting what they would be: the same walk over the coefficients does both.

/** Per slot (0..3 DC, 4..7 AC): how often each symbol came, u32[256]. */
const HISTOGRAMS = memory.data(8 * 1024, 16)
/** Per slot: code << 8 | length, u32[256]. */
const CODES = memory.data(8 * 1024, 16)
let counting: bool = false
let extra: u64 = 0
let out: usize = 0
let acc: u64 = 0
let held: i32 = 0

export function histogramAt(slot: i32): usize { return HISTOGRAMS + <usize>slot * 1024 }
export function codesAt(slot: i32): usize { return CODES + <usize>slot * 1024 }

/** From here on symbols are counted, nothing is written. */
export function resetCounts(): void {
  counting = true
  extra = 0
  memory.fill(HISTOGRAMS, 0, 8 * 1024)
}

/** Raw bits that followed symbols since `resetCounts`. */
export function extraBits(): f64 { return <f64>extra }

/** Writes codes at `at` from here on. The caller has allocated two bytes for each counted one. */
export function openOutput(at: usize): void {
  counting = false
  out = at
  acc = 0
  held = 0
}

/** Pads the last byte with ones; gives the end of what was written. */
export function outputEnd(): usize {
  if (held & 7) put((1 << (8 - (held & 7))) - 1, 8 - (held & 7))
  while (held >= 8) byteOut()
  return out
}

function byteOut(): void {
  held -= 8
  const byte = <u8>(acc >> <u64>held)
  store<u8>(out++, byte)
  if (byte == 0xff) store<u8>(out++, 0)
}

function put(code: u32, length: i32): void {
  acc = (acc << <u64>length) | <u64>code
  held += length
  if (held < 32) return
  const w = <u32>(acc >> <u64>(held - 32))
  if (((~w - 0x01010101) & w & 0x80808080) == 0) {
    store<u32>(out, bswap<u32>(w))
    out += 4
    held -= 32
  } else while (held >= 8) byteOut()
}

/** Counts a symbol of a slot `n` times. */
// @ts-ignore: decorator
@inline export function count(slot: i32, s: i32, n: u32 = 1): void {
  const h = HISTOGRAMS + <usize>(slot * 256 + s) * 4
  store<u32>(h, load<u32>(h) + n)
}

/** One symbol of a slot. */
// @ts-ignore: decorator
@inline export function emit(slot: i32, s: i32): void {
  if (counting) {
    const h = HISTOGRAMS + <usize>(slot * 256 + s) * 4
    store<u32>(h, load<u32>(h) + 1)
  } else {
    const c = load<u32>(CODES + <usize>(slot * 256 + s) * 4)
    put(c >> 8, c & 255)
  }
}

/** One symbol of a slot and the `n` (0..16) raw bits behind it, at once. */
// @ts-ignore: decorator
@inline export function emitWith(slot: i32, s: i32, v: u32, n: i32): void {
  if (counting) {
    count(slot, s)
    extra += n
  } else {
    const c = load<u32>(CODES + <usize>(slot * 256 + s) * 4)
    put(((c >> 8) << n) | (v & ((1 << n) - 1)), <i32>(c & 255) + n)
  }
}

/** `n` (1..16) raw bits. */
// @ts-ignore: decorator
@inline export function emitBits(v: u32, n: i32): void {
  if (counting) extra += n
  else put(v & ((1 << n) - 1), n)
}
