/**
 * Numbers with their unit in the type. The function of the same name adds the brand; no other code uses `as` for it.
 */
declare const unit: unique symbol
type Branded<Name extends string> = number & { readonly [unit]: Name }

/** CSS pixels, as in the options, before the density is applied. */
export type CssPx = Branded<'css px'>
/** Device pixels: the pixels of an image file. */
export type DevicePx = Branded<'device px'>
/** Device pixels per CSS pixel (device pixel ratio). */
export type Density = 1 | 2 | 3

export const cssPx = (value: number): CssPx => value as CssPx
const devicePx = (value: number): DevicePx => value as DevicePx
/** CSS pixels times density, rounded to whole device pixels. */
export const toDevice = (px: CssPx, density: Density): DevicePx => devicePx(Math.round(px * density))

/** The largest signed number of 32 bits. */
export const MAX_INT32 = 2 ** 31 - 1

/** Milliseconds. */
export const MINUTE_MS = 60_000
/** Milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS
/** Milliseconds. */
export const DAY_MS = 24 * HOUR_MS
