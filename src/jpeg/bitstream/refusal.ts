/** Why a JPEG is not read by our own reader; sharp's may still. */
export type RefusalReason =
  | 'not-a-jpeg'
  | 'no-image'
  | 'arithmetic'
  | 'lossless'
  | 'hierarchical'
  | 'twelve-bit'
  | 'bad-header'
  | 'unknown-height'
  | 'too-large'
  | 'too-much-work'

const sentences: Record<RefusalReason, string> = {
  'not-a-jpeg': 'The bytes do not begin as a JPEG does.',
  'no-image': 'The JPEG holds no image data.',
  arithmetic: 'Arithmetic coding is not read.',
  lossless: 'Lossless JPEG is not read.',
  hierarchical: 'Hierarchical JPEG is not read.',
  'twelve-bit': 'Only eight bits a sample are read.',
  'bad-header': 'A header segment of the JPEG contradicts itself.',
  'unknown-height': 'The JPEG gives its height only after its data.',
  'too-large': 'The JPEG has more pixels than are read here.',
  'too-much-work': 'The JPEG asks for more scans than an image needs.',
}

/** A JPEG that is refused, with a `reason` to decide by. */
export class JpegRefusal extends Error {
  readonly reason: RefusalReason
  constructor(reason: RefusalReason) {
    super(sentences[reason])
    this.name = 'JpegRefusal'
    this.reason = reason
  }
}
