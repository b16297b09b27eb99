/** CPU that still WebP and AVIF may take. `more`: about twice as much for WebP and five times for AVIF, for 2 to 5 % fewer bytes. */
export const EFFORT_LEVELS = ['usual', 'more'] as const
export type Effort = (typeof EFFORT_LEVELS)[number]
