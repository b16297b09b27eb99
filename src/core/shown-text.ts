/** Limits of texts that show what a client sent. Chosen, not measured. */

/** Characters of a name, a file name or an item in a message. */
export const MAX_SHOWN_CHARS = 80
/** Characters of an address or of a header's value in a message or a log. */
export const MAX_SHOWN_ADDRESS_CHARS = 500
/** Items of a list in a message. */
export const MAX_SHOWN_ITEMS = 8
