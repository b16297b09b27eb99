/** A JPEG with the same pixels and a comment behind its first marker. The text takes 253 bytes at most. */
export const withComment = (jpeg: Buffer, text: string): Buffer => {
  const comment = Buffer.from(text)
  const header = Buffer.of(0xff, 0xfe, 0, comment.length + 2)
  return Buffer.concat([jpeg.subarray(0, 2), header, comment, jpeg.subarray(2)])
}
