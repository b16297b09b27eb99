import { JpegRefusal } from '../../src/jpeg/refusal.ts'
import { restoreJpeg } from '../../src/jpeg/restore.ts'
import { seeded } from './fixtures.ts'

/** A copy of `source`, cut and with bytes overwritten as `seed` says. */
export const damage = (source: Uint8Array, seed: number): Uint8Array => {
  const random = seeded(seed)
  const cut = random() % 3 === 0 ? source.slice(0, random() % source.length) : source.slice()
  for (let flips = random() % 12; flips > 0 && cut.length > 0; flips--) {
    // Half of the damage goes to the headers, which are few bytes and decide most.
    const reach = random() % 2 === 0 ? Math.min(700, cut.length) : cut.length
    cut[random() % reach] = random() & 255
  }
  return cut
}

/** Stores damaged bytes again; a refusal is an answer too, anything else thrown escapes. Gives which it was. */
export const survive = (bytes: Uint8Array): 'stored' | 'refused' => {
  try {
    restoreJpeg(bytes)
    return 'stored'
  } catch (failure) {
    if (failure instanceof JpegRefusal) return 'refused'
    throw failure
  }
}
