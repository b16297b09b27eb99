import { seeded } from '../jpeg/fixtures.ts'

/** Bytes between two places are left out, or come again. */
const splice = (bytes: Uint8Array, random: () => number): Uint8Array => {
  const [a, b] = [random() % (bytes.length + 1), random() % (bytes.length + 1)]
  const out = new Uint8Array(a + bytes.length - b)
  out.set(bytes.subarray(0, a))
  out.set(bytes.subarray(b), a)
  return out
}

/** A copy of `source`: cut, a piece of it lost or there twice, and bytes overwritten, as `seed` says. */
export const damage = (source: Uint8Array, seed: number): Uint8Array => {
  const random = seeded(seed)
  // Not `slice`, which shares the bytes of a Buffer.
  const copy = new Uint8Array(source)
  const cut = random() % 3 === 0 ? copy.slice(0, random() % source.length) : copy
  const damaged = random() % 4 === 0 ? splice(cut, random) : cut
  for (let flips = random() % 12; flips > 0 && damaged.length > 0; flips--) {
    // Half of the damage goes to the headers, which are few bytes and decide most.
    const reach = random() % 2 === 0 ? Math.min(700, damaged.length) : damaged.length
    damaged[random() % reach] = random() & 255
  }
  return damaged
}
