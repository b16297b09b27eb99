/**
 * Items of one list in a file's header that are read: boxes, segments, pages, directory entries, attributes. Real files have some dozens.
 * It bounds the time that a hostile file takes. Chosen, not measured.
 */
export const MAX_HEADER_ITEMS = 4096
