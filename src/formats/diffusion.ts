/** Error diffusion (Floyd and Steinberg 1976): the shares of a pixel's error that its neighbours take. */

/** Share of an error that is handed on at all: less noise than all of it, and bands are as invisible. By eye, on gradients. */
export const DIFFUSED_SHARE = 0.8

/** Shares of it that four neighbours receive. */
export const NEIGHBOUR_SHARES = { right: 7 / 16, belowLeft: 3 / 16, below: 5 / 16, belowRight: 1 / 16 } as const
