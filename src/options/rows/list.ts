import type { SlightlyWrong, Wrong } from '../row.ts'

/** Lists that are slightly wrong as a whole (§2.2). */
export const LISTS_SLIGHTLY_WRONG: readonly SlightlyWrong[] = [
  {
    send: 'full,%20quality=low',
    read: 'full,quality=low',
    warnings: ['%20quality=low was read as quality=low: options hold no spaces.'],
  },
  {
    send: 'full,quality%20=%20low',
    read: 'full,quality=low',
    warnings: ['quality%20=%20low was read as quality=low: options hold no spaces.'],
  },
  {
    send: 'full,+quality=low',
    read: 'full,quality=low',
    warnings: ['+quality=low was read as quality=low: options hold no spaces.'],
  },
  { send: 'full,', read: 'full', warnings: ['Empty items were left out: there are superfluous commas.'] },
  { send: ',,full', read: 'full', warnings: ['Empty items were left out: there are superfluous commas.'] },
  { send: '300x200,crop,300x200', read: '300x200,crop', warnings: ['Given more than once: 300x200.'] },
  { send: '300x200%2C%20crop', read: '300x200,crop', warnings: ['%20crop was read as crop: options hold no spaces.'] },
  {
    send: 'quality=low',
    read: 'full,quality=low',
    warnings: ['There is no size and no full: read as full, no resizing.'],
  },
]

/** Lists that are refused as a whole (§2.3, §2.5). */
export const LISTS_WRONG: readonly Wrong[] = [
  {
    send: '300x200;crop',
    text: '"300x200;crop" is wrong: options are separated by commas. Did you mean "300x200,crop"?',
  },
  { send: '300x200&2x', text: '"300x200&2x" is wrong: options are separated by commas. Did you mean "300x200,2x"?' },
  {
    send: '300x200|crop',
    text: '"300x200|crop" is wrong: options are separated by commas. Did you mean "300x200,crop"?',
  },
  {
    send: '300x200%20crop',
    text: '"300x200%20crop" is wrong: options are separated by commas. Did you mean "300x200,crop"?',
  },
  {
    send: '300x200+crop',
    text: '"300x200+crop" is wrong: options are separated by commas. Did you mean "300x200,crop"?',
  },
  { send: '300:200', text: '"300:200" is wrong: options are separated by commas. Did you mean "300x200"?' },
  { send: '300x200_2x', text: '"300x200_2x" is wrong: options are separated by commas. Did you mean "300x200,2x"?' },
  {
    send: 'full,rotate=90',
    text: '"rotate=90" is not an option. Options are a size such as 300x200 or full, 2x, 3x, fit, scale-down, crop, pad, trim=border, bgcolor=, quality=, format=, gamut=, meta=, max-bytes=, preset= and timeout=.',
  },
  {
    send: 'a,b,c,d,e,f,g,h,i,j',
    text: '"a" is not an option. "b" is not an option. "c" is not an option. "d" is not an option. "e" is not an option. "f" is not an option. "g" is not an option. "h" is not an option. And 2 more items are wrong. Options are a size such as 300x200 or full, 2x, 3x, fit, scale-down, crop, pad, trim=border, bgcolor=, quality=, format=, gamut=, meta=, max-bytes=, preset= and timeout=.',
  },
  {
    send: 'https:',
    text: 'The image address stands where the options are expected. Put the options before it, as in /username/full/https://example.com/image.png.',
  },
  {
    send: 'https%3A%2F%2Fexample.com%2Fimage.png',
    text: 'The image address stands where the options are expected. Put the options before it, as in /username/full/https://example.com/image.png.',
  },
  {
    send: 'full,http://example.com',
    text: 'The image address stands where the options are expected. Put the options before it, as in /username/full/https://example.com/image.png.',
  },
  {
    send: 'example.com',
    text: 'The image address stands where the options are expected. Put the options before it, as in /username/full/https://example.com/image.png.',
  },
  {
    send: '',
    text: 'The options are missing. Use /username/options/image_url, for example /demo/full/https://example.com/image.png.',
  },
  {
    send: ',',
    text: 'The options are missing. Use /username/options/image_url, for example /demo/full/https://example.com/image.png.',
  },
]
