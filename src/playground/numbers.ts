/** `1.2 MB`, `34.5 KB`, `812 bytes`: decimal units, three digits. */
export const sayBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  const [value, unit] = bytes < 999_500 ? [bytes / 1e3, 'KB'] : [bytes / 1e6, 'MB']
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`
}

/** `557,596 bytes`. */
export const sayExactBytes = (bytes: number): string => `${bytes.toLocaleString('en-US')} bytes`

/** The relative change: `−87 %`, `−99.4 %`, `±0 %`, `+3 %`. */
export const sayChange = (before: number, after: number): string => {
  if (before === 0) return ''
  const percent = (after / before - 1) * 100
  const shown = Math.abs(percent) > 99 || Math.abs(percent) < 1 ? percent.toFixed(1) : percent.toFixed(0)
  if (Number(shown) === 0) return '±0 %'
  return `${percent < 0 ? '−' : '+'}${shown.replace('-', '')} %`
}

/** `0.42 s`, `12 s`. */
export const saySeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 995 ? 2 : ms < 9950 ? 1 : 0)} s`
