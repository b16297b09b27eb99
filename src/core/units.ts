/**
 * Numbers that must not be mixed up carry their unit in their type.
 * A brand is put on with the function of the same name; that is the only place where `as` is used for one.
 */
declare const unit: unique symbol
type Branded<Name extends string> = number & { readonly [unit]: Name }

/** CSS pixels, as written in the options: before the density is applied. */
export type CssPx = Branded<'css px'>
/** Device pixels: what an image file is measured in. */
export type DevicePx = Branded<'device px'>
/** Device pixels per CSS pixel (device pixel ratio). */
export type Density = 1 | 2 | 3

export const cssPx = (value: number): CssPx => value as CssPx
const devicePx = (value: number): DevicePx => value as DevicePx
/** CSS pixels x device pixel ratio, rounded to whole device pixels. */
export const toDevice = (px: CssPx, density: Density): DevicePx => devicePx(Math.round(px * density))
