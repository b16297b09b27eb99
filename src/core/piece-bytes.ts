/** Bytes of a file or a stream that are read, searched or written at once. Holds all headers of usual files. Chosen, not measured. */
export const PIECE_BYTES = 65_536

/** Bytes of a text's start that are read, or of a body that is held in memory. Chosen, not measured. */
export const BUFFER_BYTES = 4 * PIECE_BYTES
