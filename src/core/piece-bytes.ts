/** Bytes of a file or a stream that are read, searched or written at once. Holds all headers of usual files. Chosen, not measured. */
export const PIECE_BYTES = 65_536
