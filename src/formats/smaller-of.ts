/** The file of fewer bytes; the first of two that are equally long. */
export const smallerOf = (one: Uint8Array, other: Uint8Array): Uint8Array => (other.length < one.length ? other : one)
