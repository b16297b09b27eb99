import type { SourceFormat } from '../../core/image.ts'
import { decodeBmp } from './bmp.ts'
import type { ForeignDecoder } from './decoder.ts'
import { decodeHeif } from './heif.ts'
import { decodeIco } from './ico.ts'
import { decodeJxl } from './jxl.ts'
import { decodePsd } from './psd.ts'

/** Decoders of formats that sharp cannot read. */
export const FOREIGN: Partial<Readonly<Record<SourceFormat, ForeignDecoder>>> = {
  heic: decodeHeif,
  jxl: decodeJxl,
  bmp: decodeBmp,
  ico: decodeIco,
  psd: decodePsd,
}
