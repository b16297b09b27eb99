import type { StillFormat } from '../core/image.ts'
import { avif } from './avif.ts'
import type { StillCodec } from './format.ts'
import { gif } from './gif.ts'
import { jpeg } from './jpeg.ts'
import { jxl } from './jxl.ts'
import { png } from './png.ts'
import { webp } from './webp.ts'

/** Every still format that can be written. */
export const CODECS: Readonly<Record<StillFormat, StillCodec>> = { jpeg, png, gif, webp, avif, jxl }
