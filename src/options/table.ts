import type { OptionRow } from './row.ts'
import { bgcolorRow } from './rows/colour.ts'
import { cropAutoRow, cropRow } from './rows/crop.ts'
import { densityRow } from './rows/density.ts'
import { cropEdgeRow, focalPointRow } from './rows/focus.ts'
import { formatRow } from './rows/format.ts'
import { gamutRow } from './rows/gamut.ts'
import { maxBytesRow } from './rows/max-bytes.ts'
import { metaRow } from './rows/meta.ts'
import { fitRow, padRow, scaleDownRow } from './rows/method.ts'
import { presetRow } from './rows/preset.ts'
import { qualityRow } from './rows/quality.ts'
import { fullRow, sizeRow, widthRow } from './rows/size.ts'
import { timeoutRow } from './rows/timeout.ts'
import { trimRow } from './rows/trim.ts'

/** All options in the order of the contract (§2). The first pattern that matches an item reads it. */
export const OPTIONS_TABLE: readonly OptionRow[] = [
  fullRow,
  sizeRow,
  widthRow,
  densityRow,
  fitRow,
  scaleDownRow,
  cropRow,
  cropAutoRow,
  cropEdgeRow,
  focalPointRow,
  padRow,
  trimRow,
  bgcolorRow,
  qualityRow,
  formatRow,
  gamutRow,
  metaRow,
  maxBytesRow,
  presetRow,
  timeoutRow,
]
