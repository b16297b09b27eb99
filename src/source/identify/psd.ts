import { psdObstacle, readPsdHeader } from '../../containers/psd.ts'
import { fail } from '../../core/failure.ts'
import { HEADER_SIZES } from '../../core/header-sizes.ts'
import { exactly, type ReadHeader, requireExtent } from './reader.ts'

/** Photoshop files, PSD and PSB, by their header. Fails with FORMAT_UNSUPPORTED for colour modes that are not decoded. */
export const readPsd: ReadHeader = async (reader) => {
  const header = readPsdHeader(await exactly(reader, 0, HEADER_SIZES.psd))
  if (header === undefined) throw fail('SOURCE_DAMAGED')
  const obstacle = psdObstacle(header)
  if (obstacle !== undefined) throw fail('FORMAT_UNSUPPORTED', obstacle)
  const { width, height, depth, mode, channels } = header
  return {
    format: 'psd',
    ...requireExtent(width, height),
    frames: 1,
    alpha: channels > (mode === 'rgb' ? 3 : 1),
    orientation: 1,
    profile: 'none',
    depth,
  }
}
