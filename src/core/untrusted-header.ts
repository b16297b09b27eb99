/**
 * Items of one list in a file's header that are read: boxes, segments, pages, directory entries, attributes. Real files have some dozens.
 * It bounds the time that a hostile file takes. Chosen, not measured.
 */
export const MAX_HEADER_ITEMS = 4096

/**
 * Frames, extensions, segments and chunks of a whole file that are walked. A file of 50 MB made of the smallest of them would take seconds,
 * and views of all of them gigabytes. Chosen, not measured.
 */
export const MAX_FILE_ITEMS = 300_000

/** Characters of an attribute in foreign markup, before and after its entities are expanded, of an address in it, and of an option list. */
export const MAX_VALUE_CHARS = 4_096
