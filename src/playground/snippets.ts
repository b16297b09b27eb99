/** The request of a snippet. */
export interface SnippetRequest {
  /** Address of the service for programs. */
  readonly base: string
  readonly account: string
  /** Whether the account has an access key. The snippet then reads it from the environment. */
  readonly needsKey: boolean
  /** The option list in the encoding of an address. */
  readonly list: string
  /** Address of the image, or the name of a file to upload. */
  readonly image: { readonly url: string } | { readonly file: string }
  /** Name to save the result under. */
  readonly saveAs: string
  /** Displayed size in CSS px, if known. */
  readonly shown?: { readonly width: number; readonly height: number }
}

/** Quotes a text for POSIX shells. */
const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const jsQuote = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`

/** Quotes a text for PHP. Single quotes need escapes for backslash and quote only. */
const phpQuote = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Quotes a text for Python, which accepts JSON strings. */
const pythonQuote = (text: string): string => JSON.stringify(text)

const htmlEscape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Returns the address for a POST request. */
export const addressOf = ({ base, account, list, image }: SnippetRequest): string =>
  'url' in image ? `${base}/${account}/${list}/${image.url}` : `${base}/${account}/${list}`

/** Name of the environment variable with the access key. */
const KEY_VARIABLE = 'WHITTLE_KEY'

const curl = (request: SnippetRequest): string => {
  const address = shellQuote(addressOf(request))
  const key = request.needsKey ? `-H "Authorization: Bearer $${KEY_VARIABLE}" ` : ''
  const save = `${key}-o ${shellQuote(request.saveAs)}`
  return 'url' in request.image
    ? `curl -fL -X POST ${save} \\\n  ${address}`
    : `curl -fL -F ${shellQuote(`file=@${request.image.file}`)} ${save} \\\n  ${address}`
}

const node = (request: SnippetRequest): string => {
  const address = jsQuote(addressOf(request))
  const upload =
    'url' in request.image
      ? ''
      : `const body = new FormData()
body.set('file', new Blob([await readFile(${jsQuote(request.image.file)})]), ${jsQuote(request.image.file)})
`
  return `import { ${upload === '' ? '' : 'readFile, '}writeFile } from 'node:fs/promises'

${upload}const response = await fetch(${address}, {
  method: 'POST',${request.needsKey ? `\n  headers: { authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` },` : ''}${upload === '' ? '' : '\n  body,'}
})
if (!response.ok) throw new Error(await response.text())
await writeFile(${jsQuote(request.saveAs)}, Buffer.from(await response.arrayBuffer()))
`
}

const php = (request: SnippetRequest): string => {
  const upload = 'url' in request.image ? "''" : `['file' => new CURLFile(${phpQuote(request.image.file)})]`
  return `<?php
$request = curl_init(${phpQuote(addressOf(request))});
curl_setopt_array($request, [
    CURLOPT_POSTFIELDS => ${upload},${request.needsKey ? `\n    CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . getenv('${KEY_VARIABLE}')],` : ''}
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_FOLLOWLOCATION => true,
]);
$image = curl_exec($request);
if (curl_getinfo($request, CURLINFO_RESPONSE_CODE) !== 200) {
    throw new RuntimeException($image ?: curl_error($request));
}
file_put_contents(${phpQuote(request.saveAs)}, $image);
`
}

const python = (request: SnippetRequest): string => {
  const address = pythonQuote(addressOf(request))
  const key = request.needsKey ? [`"Authorization": "Bearer " + os.environ["${KEY_VARIABLE}"]`] : []
  const headers = (more: readonly string[]): string => `{${[...more, ...key].join(', ')}}`
  const send =
    'url' in request.image
      ? `request = urllib.request.Request(${address}, method="POST"${request.needsKey ? `, headers=${headers([])}` : ''})`
      : `with open(${pythonQuote(request.image.file)}, "rb") as file:
    request = urllib.request.Request(
        ${address},
        data=file.read(),
        headers=${headers(['"Content-Type": "application/octet-stream"'])},
    )`
  return `${request.needsKey ? 'import os\n' : ''}import urllib.request

${send}
with urllib.request.urlopen(request) as response, open(${pythonQuote(request.saveAs)}, "wb") as result:
    result.write(response.read())
`
}

const withSuffix = (name: string, suffix: string, extension?: string): string => {
  const [, stem = name, own = ''] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? []
  return `${stem}${suffix}${extension ?? own}`
}

/** One file of a `<picture>`, and its option list. */
interface Variant {
  readonly file: string
  readonly list: string
}

const withItems = (list: string, ...items: readonly string[]): string =>
  [
    list
      .split(',')
      .filter((item) => !/^(?:[123]x|format=.*)$/.test(item))
      .join(','),
    ...items,
  ].join(',')

const DENSITIES = ['1x', '2x'] as const

/** Returns the files in one format for normal and dense screens. Without a size there is one file. */
const variantsOf = ({ list, saveAs }: SnippetRequest, format?: 'avif' | 'webp'): readonly Variant[] => {
  const formatItems = format === undefined ? [] : [`format=${format}`]
  const extension = format === undefined ? undefined : `.${format}`
  if (list.split(',').includes('full'))
    return [{ file: withSuffix(saveAs, '', extension), list: withItems(list, ...formatItems) }]
  return DENSITIES.map((density) => ({
    file: withSuffix(saveAs, density === '1x' ? '' : `@${density}`, extension),
    list: withItems(list, ...(density === '1x' ? [] : [density]), ...formatItems),
  }))
}

const srcset = (variants: readonly Variant[]): string =>
  variants.map(({ file }, at) => `${encodeURI(file)}${at === 0 ? '' : ` ${DENSITIES[at]}`}`).join(', ')

const picture = (request: SnippetRequest): string => {
  const sets = { avif: variantsOf(request, 'avif'), webp: variantsOf(request, 'webp'), plain: variantsOf(request) }
  const commands = Object.values(sets)
    .flat()
    .map(({ file, list }) => curl({ ...request, list, saveAs: file }).replace(' \\\n  ', ' '))
  const { shown } = request
  const size = shown === undefined ? '' : ` width="${shown.width}" height="${shown.height}"`
  return `<!-- Create the files once, and serve them from your own server:
${commands.join('\n').replaceAll('--', '&#45;&#45;')}
-->
<picture>
  <source type="image/avif" srcset="${htmlEscape(srcset(sets.avif))}">
  <source type="image/webp" srcset="${htmlEscape(srcset(sets.webp))}">
  <img src="${htmlEscape(encodeURI(sets.plain[0]!.file))}"${sets.plain.length > 1 ? ` srcset="${htmlEscape(srcset(sets.plain))}"` : ''}${size} alt="" loading="lazy">
</picture>
`
}

/** Snippets by language. Titles are the labels of the tabs. */
export const SNIPPETS = {
  curl: { title: 'curl', write: (request: SnippetRequest): string => `${curl(request)}\n` },
  html: { title: 'HTML', write: picture },
  node: { title: 'Node', write: node },
  php: { title: 'PHP', write: php },
  python: { title: 'Python', write: python },
} as const

/** The languages of snippets. */
export type SnippetName = keyof typeof SNIPPETS
