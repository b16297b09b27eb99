import { join } from 'node:path'
import sharp from 'sharp'

/** A Kodak photograph (see ORIGINS.tsv), 190 x 158 px. */
export const PHOTO = join(import.meta.dirname, '../fixtures/jpeg/kodim23-190x158.png')

const svg = (body: string, width: number, height: number): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${body}</svg>`)

const lines = (from: number, count: number): string =>
  Array.from(
    { length: count },
    (_, at) =>
      `<text x="20" y="${from + at * 17}" font-size="13" fill="#222">Line ${at}: the quick brown fox jumps over dogs</text>`,
  ).join('')

/** A window with a toolbar, text, and a photograph in it. */
export const screenshotWithPhoto = async (): Promise<Buffer> => {
  const body =
    '<rect width="600" height="420" fill="#fafafa"/><rect width="600" height="36" fill="#2d3e50"/>' +
    '<text x="16" y="24" font-size="15" fill="#fff">Window title</text>' +
    '<rect x="440" y="50" width="140" height="30" rx="4" fill="#c0392b"/>' +
    lines(70, 19)
  return sharp(svg(body, 600, 420))
    .flatten()
    .composite([{ input: PHOTO, left: 380, top: 120 }])
    .png()
    .toBuffer()
}

/** A page of coloured text with a small photograph in a corner, which has hardly a say in the score of the whole. */
export const pageWithPhoto = async (): Promise<Buffer> => {
  const colours = ['222', '0645ad', 'a33', '060']
  const text = Array.from({ length: 100 }, (_, at) => {
    const [x, y] = [10 + (at % 2) * 600, 20 + (at >> 1) * 17]
    return `<text x="${x}" y="${y}" font-size="13" fill="#${colours[at % 4]}">Line ${at} of words that are read and forgotten</text>`
  }).join('')
  return sharp(svg(`<rect width="1200" height="900" fill="#fff"/>${text}`, 1200, 900))
    .flatten()
    .composite([{ input: PHOTO, left: 1000, top: 730 }])
    .png()
    .toBuffer()
}

/** White and black lettering over a photograph. */
export const textOverPhoto = async (): Promise<Buffer> => {
  const text =
    '<text x="12" y="60" font-size="34" font-weight="bold" fill="#fff">Summer</text><text x="12" y="140" font-size="22" fill="#000">sale of birds</text>'
  return sharp(PHOTO)
    .composite([{ input: svg(text, 190, 158) }])
    .png()
    .toBuffer()
}

/** Thin black lines on white. */
export const lineArt = async (): Promise<Buffer> => {
  const curves = Array.from(
    { length: 24 },
    (_, at) => `<circle cx="200" cy="150" r="${5 + at * 6}" fill="none" stroke="#000" stroke-width="${1 + (at % 3)}"/>`,
  ).join('')
  return sharp(svg(`<rect width="400" height="300" fill="#fff"/>${curves}`, 400, 300))
    .flatten()
    .png()
    .toBuffer()
}

/** A sprite of sixteen colours in blocks of 8 px. */
export const pixelArt = async (): Promise<Buffer> => {
  const cells = 24
  const data = Buffer.alloc(cells * cells * 3)
  for (let at = 0; at < cells * cells; at += 1) {
    const shade = ((at * 7919) % 97) % 16
    data.set([(shade & 3) * 80, ((shade >> 1) & 3) * 80, ((shade >> 2) & 3) * 80], at * 3)
  }
  return sharp(data, { raw: { width: cells, height: cells, channels: 3 } })
    .resize(cells * 8, cells * 8, { kernel: 'nearest' })
    .png()
    .toBuffer()
}

/** A disc with a gradient and a soft shadow on nothing. */
export const softLogo = async (): Promise<Buffer> =>
  sharp(
    svg(
      '<defs><radialGradient id="g"><stop offset="0" stop-color="#f7b733"/><stop offset="1" stop-color="#fc4a1a"/></radialGradient>' +
        '<filter id="s"><feGaussianBlur stdDeviation="6"/></filter></defs>' +
        '<circle cx="106" cy="108" r="78" fill="#000" opacity="0.5" filter="url(#s)"/><circle cx="100" cy="100" r="78" fill="url(#g)"/>' +
        '<text x="58" y="122" font-size="60" font-weight="bold" fill="#fff">W</text>',
      200,
      200,
    ),
  )
    .png()
    .toBuffer()

/** A photograph without loss. */
export const photo = (): Promise<Buffer> => sharp(PHOTO).png().toBuffer()
/** The same as a JPEG of some quality. */
export const jpegOf = (quality: number): Promise<Buffer> => sharp(PHOTO).jpeg({ quality }).toBuffer()
