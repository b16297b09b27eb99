import { findFocus } from '../../attention/find-attention.ts'
import { type Box, type Extent, type Point, type Raster, uprightExtent } from '../../core/image.ts'
import type { Job } from '../../core/outcome.ts'
import { pointBeforeTrim, solveGeometry } from '../../plan/geometry.ts'
import type { Geometry, Plan } from '../../plan/plan.ts'
import { type ShownWindow, shownWindow } from '../../plan/shown-window.ts'
import { decode } from '../../raster/decode.ts'
import { flatten } from '../../raster/flatten.ts'
import { resample } from '../../raster/resample.ts'
import { cutOut, findBorder } from '../../raster/trim.ts'
import { staged } from '../../support/stages.ts'
import { withoutUndefined } from '../../support/without-undefined.ts'
import { loadSvg } from './load-svg.ts'
import type { Report } from './report.ts'

/** The pixels of the result, with warnings and facts. */
export interface TransformedSource {
  readonly pixels: Raster
  readonly warnings: readonly string[]
  /** Whether the pixels differ from the source's in orientation and colours only. */
  readonly whole: boolean
  /** The visible part of the upright source. Absent for padded images and SVG. */
  readonly window?: ShownWindow
  /** Whether content of the source was removed, so that scores against these pixels do not apply to the source. */
  readonly incomplete?: boolean
  /** Centre of the window of `crop=auto`, as fractions of the whole source. */
  readonly focus?: Point
}

const wantsAttention = ({ resize }: Plan): boolean =>
  resize.kind === 'box' && resize.method.kind === 'crop' && resize.method.focus.kind === 'auto'

const isShrunk = (to: Extent, from: Extent): boolean => to.width * to.height < from.width * from.height

const finish = async (job: Job<Plan>, report: Report, cut: Raster, geometry: Geometry): Promise<Raster> => {
  const { background, formats } = job.plan
  const resized = geometry.identity
    ? cut
    : await staged(report, 'resize', () => resample({ pixels: cut, geometry, background }))
  return formats.every((format) => format === 'jpeg') ? flatten(resized, background) : resized
}

/** Decodes, trims, finds the focus, resamples and flattens a raster source (§2). plan/geometry decides. */
const fromRaster = async (job: Job<Plan>, report: Report): Promise<TransformedSource> => {
  const { facts, plan } = job
  const { resize, limits, gamut } = plan
  const source = uprightExtent(facts, facts.orientation)
  const early = plan.trim || wantsAttention(plan) ? undefined : solveGeometry({ resize, source, limits })
  const shrinks = early !== undefined && early.extract === undefined && isShrunk(early.scaleTo, source)
  const { pixels, warnings } = await staged(report, 'decode', () =>
    decode({
      path: job.path,
      facts,
      limits,
      ...(shrinks ? { wanted: early.scaleTo } : {}),
      ...withoutUndefined({ gamut }),
    }),
  )
  const trimmed = plan.trim ? findBorder(pixels) : undefined
  const cut = trimmed === undefined ? pixels : cutOut(pixels, trimmed)
  const attention = await attentionOf(job, report, cut)
  const geometry = early ?? solveGeometry({ resize, source, limits, ...withoutUndefined({ trimmed, attention }) })
  return {
    pixels: await finish(job, report, cut, geometry),
    warnings: [...warnings, ...geometry.warnings],
    whole: geometry.identity && trimmed === undefined,
    ...withoutUndefined({ window: shownWindow(geometry, { source, trimmed }) }),
    ...withoutUndefined({ focus: wholeFocus(attention, source, trimmed) }),
  }
}

const attentionOf = async ({ plan }: Job<Plan>, report: Report, pixels: Raster): Promise<Point | undefined> => {
  if (plan.resize.kind !== 'box' || !wantsAttention(plan)) return undefined
  const { width = 1, height = 1 } = plan.resize
  return staged(report, 'attention', () => findFocus([pixels], { width, height }, report.notice))
}

/** Converts a focus in trimmed pixels to fractions of the whole source. */
const wholeFocus = (attention: Point | undefined, source: Extent, trimmed: Box | undefined): Point | undefined =>
  attention === undefined || trimmed === undefined ? attention : pointBeforeTrim(attention, source, trimmed)

/** Longest side in px at which an SVG is drawn to find its border and its subject. Chosen, not measured. */
const LOOK_SIDE = 2000

/** Draws an SVG at the resolution of the output (§4.4). Finds border and focus in a drawing of its own size. */
const fromVector = async (job: Job<Plan>, report: Report): Promise<TransformedSource> => {
  const { facts, plan } = job
  const { drawSvg, losesContent, lossesOf, openSvg } = await loadSvg()
  const size: Extent = { width: facts.width, height: facts.height }
  const sanitised = await staged(report, 'sanitise', () => openSvg(job.path))
  const { root } = sanitised
  const needsLook = plan.trim || wantsAttention(plan)
  const scale = Math.min(1, LOOK_SIDE / Math.max(size.width, size.height))
  const lookSize = {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  }
  const look = needsLook ? await staged(report, 'decode', () => drawSvg({ root, size, output: lookSize })) : undefined
  const border = plan.trim && look !== undefined ? findBorder(look) : undefined
  const trimmed = border && {
    left: border.left / scale,
    top: border.top / scale,
    width: border.width / scale,
    height: border.height / scale,
  }
  const attention = look && (await attentionOf(job, report, border === undefined ? look : cutOut(look, border)))
  const whole = { width: Math.max(1, Math.round(size.width)), height: Math.max(1, Math.round(size.height)) }
  const geometry = solveGeometry({
    resize: plan.resize,
    source: whole,
    limits: plan.limits,
    vector: true,
    ...withoutUndefined({ trimmed, attention }),
  })
  const { extract, ...rest } = geometry
  const inside = trimmed ?? { left: 0, top: 0, ...size }
  const region =
    extract === undefined ? inside : { ...extract, left: inside.left + extract.left, top: inside.top + extract.top }
  const drawn = await staged(report, 'decode', () => drawSvg({ root, size, region, output: geometry.scaleTo }))
  return {
    pixels: await finish(job, report, drawn, { ...rest, identity: false }),
    warnings: [...lossesOf(sanitised), ...geometry.warnings],
    whole: false,
    ...(losesContent(sanitised) ? { incomplete: true } : {}),
    ...withoutUndefined({ focus: wholeFocus(attention, size, trimmed) }),
  }
}

/** Computes the pixels of the result. Fails with SOURCE_DAMAGED if the source cannot be decoded. */
export const makePixels = (job: Job<Plan>, report: Report): Promise<TransformedSource> =>
  job.facts.format === 'svg' ? fromVector(job, report) : fromRaster(job, report)
