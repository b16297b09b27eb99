/** The part of Astro that the image services use. */
declare module 'astro/assets' {
  export const baseService: Omit<import('./types.ts').LocalService<unknown>, 'transform'>
}

declare module 'astro/assets/utils' {
  export const isRemoteAllowed: (src: string, config: unknown) => boolean
}
