/** Formats bytes with a decimal unit and three digits: `1.20 MB`, `34.5 KB`, `812 bytes`. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  const [value, unit] = bytes < 999_500 ? [bytes / 1e3, 'KB'] : [bytes / 1e6, 'MB']
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`
}

/** Formats the exact number of bytes: `557,596 bytes`. */
export const formatExactBytes = (bytes: number): string => `${bytes.toLocaleString('en-US')} bytes`

/** Formats the relative change of a size: `−87 %`, `−99.4 %`, `±0 %`, `+3 %`. Empty if `before` is 0. */
export const formatChange = (before: number, after: number): string => {
  if (before === 0) return ''
  const percent = (after / before - 1) * 100
  const shown = Math.abs(percent) > 99 || Math.abs(percent) < 1 ? percent.toFixed(1) : percent.toFixed(0)
  if (Number(shown) === 0) return '±0 %'
  return `${percent < 0 ? '−' : '+'}${shown.replace('-', '')} %`
}

/** Formats milliseconds as seconds: `0.42 s`, `12 s`. */
export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 995 ? 2 : ms < 9950 ? 1 : 0)} s`
