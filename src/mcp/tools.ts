/** The tools of `whittle mcp`. Each returns text. Its errors become the tool's error. */
import { basename, extname } from 'node:path'
import { z } from 'zod'
import { audit } from '../audit/audit.ts'
import { auditToHtml } from '../audit/audit-to-html.ts'
import { textReport } from '../audit/text-report.ts'
import { compare } from '../library/compare.ts'
import type { OptimisedImage, Optimiser } from '../library/optimiser.ts'
import { explainList } from '../options/explain-list.ts'
import { type AllowedFolders, PathRefused } from './allowed-folders.ts'

/** Dependencies of the tools. */
export interface ToolContext {
  readonly folders: AllowedFolders
  /** Opens child processes on its first call. */
  readonly optimiser: () => Optimiser
  /** Whether `audit` may read sites at private addresses, as development servers are. */
  readonly allowPrivate: boolean
}

/** One call of a tool. */
export interface ToolCall {
  readonly signal: AbortSignal
  readonly onProgress: (done: number, of: number, message: string) => void
}

/** A tool with the shape of its arguments. */
export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly title: string
  readonly description: string
  readonly input: Shape
  /** Whether it changes no file unless an argument names one to write. */
  readonly writes: boolean
  readonly run: (input: z.infer<z.ZodObject<Shape>>, context: ToolContext, call: ToolCall) => Promise<string>
}

const tool = <Shape extends z.ZodRawShape>(made: Tool<Shape>): Tool<Shape> => made

/** Formats by the extension of an output. */
const FORMATS_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['.jpg', 'jpeg'],
  ['.jpeg', 'jpeg'],
  ['.png', 'png'],
  ['.webp', 'webp'],
  ['.avif', 'avif'],
  ['.jxl', 'jxl'],
  ['.gif', 'gif'],
  ['.webm', 'webm'],
  ['.mp4', 'h264'],
])

const withFormatOf = (list: string, output: string | undefined): string => {
  if (output === undefined || /(?:^|,)format=/.test(list)) return list
  const format = FORMATS_BY_EXTENSION.get(extname(output).toLowerCase())
  return format === undefined ? list : `${list},format=${format}`
}

const measuredText = (path: string, list: string, image: OptimisedImage): string => {
  const { bytes, sourceBytes, format, width, height, score, butteraugli, warnings } = image
  const saved = (1 - bytes.length / sourceBytes) * 100
  return [
    `${basename(path)}: ${sourceBytes} bytes become ${bytes.length} bytes (${saved.toFixed(1)} % less) with options ${list}.`,
    `Result: ${format}, ${width} x ${height} px.`,
    ...(score === undefined ? [] : [`SSIMULACRA 2.1 against the source at that size: ${score.toFixed(1)}.`]),
    ...(butteraugli === undefined ? [] : [`Butteraugli: ${butteraugli.toFixed(2)}.`]),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ].join('\n')
}

const path = z.string().min(1).max(4096)
const quality = z.enum(['low', 'medium', 'high'])

/** Limits of `audit` in one call, since an agent waits for it. */
const AUDIT_LIMITS = { maxFileBytes: 50e6, maxTotalBytes: 500e6, pauseMs: 200, seconds: 600 }

const optimiseTool = tool({
  title: 'Optimise an image',
  description:
    'Makes an image file as small as it can be at a guaranteed perceived quality, and optionally resizes, crops or converts it. Writes a file only when "output" is given. Returns bytes before and after and the measured quality.',
  input: {
    path: path.describe('image file to read'),
    options: z
      .string()
      .max(500)
      .default('full,quality=medium')
      .describe('option list, such as "800x600,crop=auto,2x,quality=high"; the tool "explain" checks one'),
    output: path.optional().describe('file to write; its extension chooses the format unless the options do'),
    overwrite: z.boolean().default(false).describe('replace "output" when it exists'),
  },
  writes: true,
  run: async ({ path: source, options, output, overwrite }, { folders, optimiser }, { signal }) => {
    const list = withFormatOf(options, output)
    const write = output === undefined ? undefined : await folders.prepareWrite(output, overwrite)
    const image = await optimiser().optimiseFile(await folders.find(source), list, { signal })
    const text = measuredText(source, list, image)
    return write === undefined ? text : `${text}\nWritten to ${await write(image.bytes)}.`
  },
})

const compareTool = tool({
  title: 'Compare two images',
  description:
    'Measures how like two image files of the same size look: SSIMULACRA 2.1 (100 is identical, 90 cannot be told apart, below 50 is visibly worse) and Butteraugli (0 is identical, differences show from about 1). Lists the regions that differ most.',
  input: {
    reference: path,
    candidate: path,
    difference: path.optional().describe('PNG file to write, which shows the differences eightfold'),
    overwrite: z.boolean().default(false).describe('replace "difference" when it exists'),
  },
  writes: true,
  run: async ({ reference, candidate, difference, overwrite }, { folders }, { signal }) => {
    const write = difference === undefined ? undefined : await folders.prepareWrite(difference, overwrite)
    const found = await compare(await folders.find(reference), await folders.find(candidate), { signal })
    const worst = found.tiles.toSorted((one, other) => one.score - other.score).slice(0, 3)
    return [
      `${found.width} x ${found.height} px`,
      `SSIMULACRA 2.1: ${found.score.toFixed(2)} (worst region ${found.worst.toFixed(2)})`,
      `Butteraugli: ${found.butteraugli.toFixed(3)} (3-norm; largest ${found.butteraugliMax.toFixed(3)})`,
      ...worst.map((at) => `Region ${at.width} x ${at.height} px at ${at.left},${at.top}: ${at.score.toFixed(1)}`),
      ...(write === undefined ? [] : [`Written to ${await write(found.difference)}.`]),
    ].join('\n')
  },
})

const explainTool = tool({
  title: 'Explain an option list',
  description: 'Says how an option list is read, what it will do to an image, and what is wrong with it.',
  input: { options: z.string().max(500).describe('such as "300x200,crop=auto,2x"') },
  writes: false,
  run: async ({ options }) => {
    const { text, problem } = explainList(options)
    if (problem !== undefined) throw new PathRefused(`${text}${problem}`)
    return text
  },
})

const auditTool = tool({
  title: 'Audit the images of a site',
  description:
    'Finds images of a page, a site or a folder of HTML pages that could be smaller at the same perceived quality, with the change to apply to each. It obeys robots.txt, sends one request at a time and runs no scripts.',
  input: {
    target: z.string().min(1).max(4096).describe('http address, or a folder with HTML files'),
    pages: z.int().min(1).max(200).default(1).describe('pages of a site to read, by its links; a folder is read whole'),
    images: z.int().min(1).max(1000).default(50).describe('images to measure'),
    quality: quality.default('medium'),
    views: z.int().min(0).default(10_000).describe('page views a month, for the saved traffic'),
    html: path.optional().describe('HTML file to write, with each image before and after'),
    overwrite: z.boolean().default(false).describe('replace "html" when it exists'),
  },
  writes: true,
  run: async (input, { folders, optimiser, allowPrivate }, { signal, onProgress }) => {
    const isSite = /^https?:\/\//i.test(input.target)
    const { seconds, ...limits } = AUDIT_LIMITS
    const settings = {
      ...limits,
      preset: input.quality,
      maxPages: isSite ? input.pages : Number.POSITIVE_INFINITY,
      maxImages: input.images,
      allowPrivate,
      signal: AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]),
      optimiser: optimiser(),
      onProgress: ({ done, of, url }: { done: number; of: number; url: string }) => onProgress(done, of, url),
    }
    const target = isSite ? input.target : await folders.find(input.target)
    const write = input.html === undefined ? undefined : await folders.prepareWrite(input.html, input.overwrite)
    if (write === undefined) return textReport(await audit(target, settings), input.views)
    const { report, html } = await auditToHtml(target, settings, input.views)
    return `${textReport(report, input.views)}Written to ${await write(html)}.`
  },
})

/** Every tool by its name. */
export const TOOLS = { optimise: optimiseTool, compare: compareTool, explain: explainTool, audit: auditTool }
