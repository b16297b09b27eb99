/**
 * Frees the memory of bytes at once, if they own their whole buffer, and leaves them empty. Otherwise a few photographs make V8 collect
 * the whole heap. The caller owns the bytes and uses them no more.
 */
export const releaseBuffer = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
