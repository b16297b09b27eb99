/** Types of imports that end with `whittle`. TypeScript uses the most specific pattern that matches. */

declare module '*&as=picture&whittle' {
  const picture: import('./dist/vite/plugin.js').ImportedPicture
  export default picture
}

declare module '*&as=img&whittle' {
  const image: import('./dist/vite/plugin.js').ImportedImage
  export default image
}

declare module '*&as=lqip&whittle' {
  const dataUrl: string
  export default dataUrl
}

declare module '*&as=srcset&whittle' {
  const srcset: string
  export default srcset
}

declare module '*&whittle' {
  const url: string
  export default url
}

declare module '*?whittle' {
  const url: string
  export default url
}
