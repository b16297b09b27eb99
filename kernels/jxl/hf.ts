// Tokens of HF coefficients (ISO/IEC 18181-1, annex I). A token is a context above 18 bits of value.

const VALUE_BITS: u32 = 18
/** Side of a group, in blocks. */
const GROUP_BLOCKS: i32 = 32
/** Coefficients that the first block of a group is expected to have. */
const FIRST_EXPECTED: i32 = 32
/** A block of more coefficients than this has contexts in which the one before the first counts as zero. */
const MANY: i32 = 4

/** A group, as `src/jxl/vardct/hf-tokens.ts` lays it out. */
@unmanaged
class Group {
  /** Its size, and the pitch of `classes`, in blocks. */
  width: i32
  height: i32
  classPitch: i32
  /** By block: its class, a byte. */
  classes: usize
  /** Block contexts of the frame. */
  contexts: i32
  /** u16 by place in the coding order, coefficients left and whether the one before was not zero: see COEFFICIENT_CONTEXT. */
  coefficientContexts: usize
  /** Contexts of counts, and of coefficients by block context. */
  countContexts: i32
  ownContexts: i32
}

/** A channel of the group: Y, Cb and Cr follow the group. */
@unmanaged
class GroupChannel {
  /** Its first block's coefficients, i16, 64 a block in zigzag order; 0 where all are zero. */
  coefficients: usize
  /** Blocks in a row. */
  stride: i32
  shiftX: i32
  shiftY: i32
  /** Place in zigzag order by place in the coding order, a byte each. */
  order: usize
  /** Block context by class, a byte each. */
  blockContexts: usize
  /** A byte for each of 32 x 32 blocks, zero at first: how many coefficients are not zero. */
  counts: usize
}

// @ts-ignore: decorator
@inline function expectedCount(counts: usize, x: i32, y: i32): i32 {
  const at = counts + <usize>(y * GROUP_BLOCKS + x)
  if (x == 0) return y == 0 ? FIRST_EXPECTED : <i32>load<u8>(at - GROUP_BLOCKS)
  if (y == 0) return load<u8>(at - 1)
  return (<i32>load<u8>(at - GROUP_BLOCKS) + <i32>load<u8>(at - 1) + 1) >> 1
}

// @ts-ignore: decorator
@inline function ones(at: usize): i32 { return popcnt(i16x8.bitmask(i16x8.ne(v128.load(at), i16x8.splat(0)))) }

/** How many HF coefficients of a block are not zero. */
// @ts-ignore: decorator
@inline function countBlock(at: usize): i32 {
  let count = load<i16>(at) == 0 ? 0 : -1
  for (let k: usize = 0; k < 128; k += 16) count += ones(at + k)
  return count
}

/** Tokens of a block's coefficients in contexts from `first` on; returns where the next token goes. */
// @ts-ignore: decorator
@inline function pushBlock(block: usize, count: i32, order: usize, table: usize, first: u32, out: usize): usize {
  let left = count
  let before: i32 = count > MANY ? 0 : 1
  for (let k: i32 = 1; left > 0; k++) {
    const value = <i32>load<i16>(block + <usize>load<u8>(order + <usize>k) * 2)
    const context = first + <u32>load<u16>(table + <usize>((k << 7) | (left << 1) | before) * 2)
    store<u32>(out, (context << VALUE_BITS) | <u32>(value >= 0 ? 2 * value : -2 * value - 1))
    out += 4
    before = value == 0 ? 0 : 1
    left -= before
  }
  return out
}

/** Writes the tokens of a group to `out`: 64 a block and channel at most. Returns how many. */
export function hfTokens(group: Group, out: usize): u32 {
  const begin = out
  const channels = changetype<usize>(group) + offsetof<Group>()
  for (let y = 0; y < group.height; y++) {
    for (let x = 0; x < group.width; x++) {
      const blockClass = <usize>load<u8>(group.classes + <usize>(y * group.classPitch + x))
      for (let c: usize = 0; c < 3; c++) {
        const channel = changetype<GroupChannel>(channels + c * offsetof<GroupChannel>())
        const cx = x >> channel.shiftX
        const cy = y >> channel.shiftY
        if (cx << channel.shiftX != x || cy << channel.shiftY != y) continue
        const block = <i32>load<u8>(channel.blockContexts + blockClass)
        const expected = expectedCount(channel.counts, cx, cy)
        const context = (expected < 8 ? expected : 4 + (expected >> 1)) * group.contexts + block
        const at = channel.coefficients + <usize>(cy * channel.stride + cx) * 128
        const count = channel.coefficients == 0 ? 0 : countBlock(at)
        store<u32>(out, (<u32>context << VALUE_BITS) | <u32>count)
        const first = <u32>(group.contexts * group.countContexts + group.ownContexts * block)
        out = pushBlock(at, count, channel.order, group.coefficientContexts, first, out + 4)
        store<u8>(channel.counts + <usize>(cy * GROUP_BLOCKS + cx), <u8>count)
      }
    }
  }
  return <u32>((out - begin) >> 2)
}

/** Adds to 64 u32 at `counts`, in zigzag order, in how many of the blocks each coefficient is not zero. */
export function countCoefficients(coefficients: usize, blocks: i32, counts: usize): void {
  for (let k: usize = 0; k < 64; k += 8) {
    let low = v128.load(counts + k * 4)
    let high = v128.load(counts + k * 4, 16)
    for (let i = 0; i < blocks; i++) {
      const isSet = i16x8.ne(v128.load(coefficients + <usize>i * 128 + k * 2), i16x8.splat(0))
      low = i32x4.sub(low, i32x4.extend_low_i16x8_s(isSet))
      high = i32x4.sub(high, i32x4.extend_high_i16x8_s(isSet))
    }
    v128.store(counts + k * 4, low)
    v128.store(counts + k * 4, high, 16)
  }
}
