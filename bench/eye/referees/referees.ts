import type { Raster } from '../../../src/core/image.ts'
import { psnrHvsM } from '../psnr-hvs.ts'
import { blurredDifference } from './blurred-lab.ts'
import { gmsd } from './gmsd.ts'
import { msSsim } from './ms-ssim.ts'
import { sCielab } from './s-cielab.ts'
import { vif } from './vif.ts'

/** A metric that nothing of ours is fitted to; its figure grows with quality. */
export interface Referee {
  readonly name: string
  readonly figure: (source: Raster, shown: Raster) => number | Promise<number>
}

/** Every referee, by the column that shows it. */
export const REFEREES: readonly Referee[] = [
  { name: 's-cielab p99', figure: (source, shown) => -sCielab(source, shown) },
  { name: 'ΔE 1 px p99', figure: (source, shown) => -blurredDifference(source, shown) },
  { name: 'ms-ssim', figure: msSsim },
  { name: 'vif', figure: vif },
  { name: 'gmsd', figure: (source, shown) => -gmsd(source, shown) },
  { name: 'psnr-hvs-m', figure: psnrHvsM },
]
